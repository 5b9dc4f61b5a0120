// Builds requests from random trees and random windows, for every wire format: the server's rules
// hold, the request keeps to its room or is as small as it gets, the user's last words are in it,
// building it twice gives the same, and a summary that is taken back leaves no trace.
//   context_sweep [count [first seed]]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/build_context.h"
#include "core/compaction.h"
#include "core/normalize.h"
#include "core/tokens.h"
#include "core/tools/tools.h"
#include "core/tree.h"
#include "providers/codecs.h"
#include "providers/validator.h"
#include "tests/support/paths.h"
#include "tests/support/random_transcript.h"

using namespace skein;
using namespace skein::test;

namespace {

const Codec* const codecs[] = {&anthropic_messages, &openai_chat, &openai_responses,
                               &google_gemini};

std::size_t cut = 0, smallest = 0, compacted = 0;

// A tree that grows now here, now there; the path to the leaf that grew last.
std::vector<Entry> random_path(Dice& dice) {
  std::vector<Entry> entries, path;
  Tree::Builder builder;
  const auto grow = [&](Entry entry) {
    entry.id = Id{dice.roll()};  // the places of cuts depend on it
    follow(path, std::move(entry));
    builder.add(facts_of(path.back(), entries.size()));
    entries.push_back(path.back());
  };
  for (Message& message : random_transcript(dice)) {
    for (Block& block : message.content)  // some of it long, so that there is something to prune
      if (auto* result = std::get_if<ToolResult>(&block); result && dice.chance(20))
        result->content.emplace_back(Text{std::string(1 + dice.below(9000), 'x')});
    if (!entries.empty() && dice.chance(8)) {
      path.clear();
      const Tree tree = Tree::Builder(builder).build();
      for (const Tree::Node* node : tree.path(entries[dice.below(entries.size())].id))
        path.push_back(entries[node->at]);
    }
    grow(message_entry(message));
    if (dice.chance(4))
      grow(make_entry(type::branch_summary, R"({"summary":"what was done elsewhere"})"));
    if (dice.chance(4)) grow(make_entry(type::runtime_init, R"({"system":"s"})"));
    if (dice.chance(3))
      if (const auto plan =
              plan_compaction(path, {}, static_cast<std::int64_t>(dice.below(2000)), tool_table()))
        grow(compaction_entry(*plan, "the notes", {}));
  }
  grow(message_entry(user_message("the last words")));
  return path;
}

// What is left when all is left out that may be, in tokens.
std::int64_t least(const std::vector<Entry>& path, const std::set<Id>& redacted) {
  std::vector<Said> said = telling_of(path, redacted).said;
  cut_to(said, 0);
  shorten_results(said);
  return tokens_of(said);
}

bool has_last_words(const std::vector<Message>& messages) {
  for (const Message& message : messages)
    if (message.role == Role::user)
      for (const Block& block : message.content)
        if (const auto* text = std::get_if<Text>(&block); text && text->text == "the last words")
          return true;
  return false;
}

// One conversation as it might stand when a model is to be asked.
struct Scene {
  std::vector<Entry> path;
  std::set<Id> redacted{};
  Window window{};
};

Scene random_scene(Dice& dice) {
  Scene scene{.path = random_path(dice)};
  for (const Entry& entry : scene.path)
    if (dice.chance(3) && &entry != &scene.path.back()) scene.redacted.insert(entry.id);
  scene.window = {static_cast<std::int64_t>(20 + dice.below(dice.chance(50) ? 500 : 5000)), 20};
  return scene;
}

BuiltContext build(const Scene& scene, const Target& target, Window window) {
  return build_context({scene.path,
                        scene.redacted,
                        "be brief",
                        {{"read", "reads", R"({"type":"object"})"}},
                        {target.provider, target.model},
                        window});
}

std::string body_of(const BuiltContext& built, const Target& target) {
  Context context = built.context;
  context.messages.push_back(user_message("go on"));  // none is sent that ends in an answer
  context.messages = normalize(context.messages, target);
  ModelFacts facts{.max_output = 100, .images = target.takes_images};
  if (target.signed_calls) facts.missing_signature = "bm9uZQ==";
  return codecs[static_cast<std::size_t>(target.wire)]
      ->encode(context, {target.provider, target.model}, facts)
      .body;
}

// What is wrong with the request for this model; empty: nothing.
std::string wrong_request(const Scene& scene, const Target& target) {
  const BuiltContext built = build(scene, target, scene.window);
  if (const auto broken = violations(target, body_of(built, target)); !broken.empty())
    return broken.front();
  if (build(scene, target, scene.window).context.messages != built.context.messages)
    return "built twice, it is not the same";
  if (!has_last_words(built.context.messages)) return "the user's last words are missing";
  cut += built.left_out + built.pruned > 0;
  // One token more for each of the five numbers that are rounded up.
  if (built.filling.total() <= built.room + 5) return {};
  ++smallest;
  const std::int64_t fixed = built.filling.system + built.filling.tools;
  const auto possible =
      static_cast<double>(least(scene.path, scene.redacted)) * built.tokens_per_guess;
  if (static_cast<double>(built.filling.total() - fixed) > possible + 5)
    return "it does not fit, and could be smaller";
  return {};
}

// The same with a summary that is made and taken back.
std::string wrong_summary(Scene scene, const Target& target) {
  const auto plan = plan_compaction(scene.path, scene.redacted, 500, tool_table());
  if (!plan) return {};
  ++compacted;
  const std::vector<Message> before = build(scene, target, scene.window).context.messages;
  follow(scene.path, compaction_entry(*plan, "the notes", {}));
  const std::string shorter = body_of(build(scene, target, {}), target);
  if (const auto broken = violations(target, shorter); !broken.empty())
    return "after a summary: " + broken.front();
  if (shorter.find("the last words") == std::string::npos)
    return "after a summary the user's last words are missing";
  scene.path.pop_back();
  if (build(scene, target, scene.window).context.messages != before)
    return "a summary that was taken back left a trace";
  return {};
}

// For all four wires; the summary for one of them in turn.
std::string wrong(std::uint64_t seed) {
  Dice dice(seed);
  const Scene scene = random_scene(dice);
  for (std::uint64_t i = 0; i < std::size(codecs); ++i) {
    const auto wire = static_cast<WireFormat>(i);
    const Target target = random_target(dice, wire);
    std::string trouble = wrong_request(scene, target);
    if (trouble.empty() && seed % std::size(codecs) == i) trouble = wrong_summary(scene, target);
    if (!trouble.empty()) return "wire " + std::to_string(i) + ": " + trouble;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 10; ++seed)
    if (const std::string trouble = wrong(seed); !trouble.empty()) {
      ++failures;
      std::printf("seed %llu, %s\n", static_cast<unsigned long long>(seed), trouble.c_str());
    }
  std::printf(
      "context: %llu trees x 4 wires, %zu requests cut, %zu as small as they get, %zu trees summed "
      "up and back, %d failures\n",
      static_cast<unsigned long long>(count), cut, smallest, compacted, failures);
  return failures == 0 ? 0 : 1;
}
