// Builds requests from random trees and random windows, for every wire format: the server's rules
// hold, with a cut the request keeps to its room or is as small as it gets, the user's last words
// are in it, building it twice gives the same, and a summary that is taken back leaves no trace.
//   context_sweep [count [first seed]]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/context/build_context.h"
#include "core/context/compaction.h"
#include "core/handover/normalize.h"
#include "core/model/provider.h"
#include "core/model/tree.h"
#include "core/tools/tools.h"
#include "providers/grammar/validator.h"
#include "providers/wire/codecs.h"
#include "tests/support/long_run.h"
#include "tests/support/paths.h"
#include "tests/support/random_transcript.h"

using namespace skein;
using namespace skein::test;

namespace {

const wire::Codec* const codecs[] = {&wire::anthropic_messages, &wire::openai_chat,
                                     &wire::openai_responses, &wire::google_gemini};

std::size_t cut = 0, smallest = 0, compacted = 0;

// A tree that grows now here, now there; the path to the leaf that grew last.
std::vector<model::Entry> random_path(Dice& dice) {
  std::vector<model::Entry> entries, path;
  model::Tree::Builder builder;
  const auto grow = [&](model::Entry entry) {
    follow(path, std::move(entry));
    builder.add(model::facts_of(path.back(), entries.size()));
    entries.push_back(path.back());
  };
  for (model::Message& message : random_transcript(dice)) {
    for (model::Block& block :
         message.content)  // some of it long, so that there is something to prune
      if (auto* result = std::get_if<model::ToolResult>(&block); result && dice.chance(20))
        result->content.emplace_back(model::Text{std::string(1 + dice.below(9000), 'x')});
    if (!entries.empty() && dice.chance(8)) {
      path.clear();
      const model::Tree tree = model::Tree::Builder(builder).build();
      for (const model::Tree::Node* node : tree.path(entries[dice.below(entries.size())].id))
        path.push_back(entries[node->at]);
    }
    grow(model::message_entry(message));
    if (dice.chance(4))
      grow(model::make_entry(model::type::branch_summary,
                             R"({"summary":"what was done elsewhere"})"));
    if (dice.chance(4)) grow(model::make_entry(model::type::runtime_init, R"({"system":"s"})"));
    if (dice.chance(3))
      if (const auto plan = context::plan_compaction(
              path, {}, static_cast<std::int64_t>(dice.below(2000)), tools::tool_table()))
        grow(context::compaction_entry(*plan, "the notes", {}));
  }
  grow(model::message_entry(model::user_message("the last words")));
  return path;
}

bool has_last_words(const std::vector<model::Message>& messages) {
  for (const model::Message& message : messages)
    if (message.role == model::Role::user)
      for (const model::Block& block : message.content)
        if (const auto* text = std::get_if<model::Text>(&block);
            text && text->text.ends_with("the last words"))
          return true;
  return false;
}

// One conversation as it might stand when a model is to be asked.
struct Scene {
  std::vector<model::Entry> path;
  std::set<Id> redacted{};
  context::Window window{};
};

Scene random_scene(Dice& dice) {
  Scene scene{.path = random_path(dice)};
  for (const model::Entry& entry : scene.path)
    if (dice.chance(3) && &entry != &scene.path.back()) scene.redacted.insert(entry.id);
  scene.window = {static_cast<std::int64_t>(20 + dice.below(dice.chance(50) ? 500 : 5000)), 20};
  return scene;
}

context::BuiltContext build(const Scene& scene, const handover::Target& target,
                            context::Window window) {
  return context::build_context({scene.path,
                                 scene.redacted,
                                 "be brief",
                                 {{"read", "reads", R"({"type":"object"})"}},
                                 {target.provider, target.model},
                                 window});
}

std::string body_of(const context::BuiltContext& built, const handover::Target& target) {
  model::Context context = built.context;
  context.messages.push_back(model::user_message("go on"));  // none is sent that ends in an answer
  context.messages = handover::normalize(context.messages, target);
  wire::ModelFacts facts{.max_output = 100, .images = target.takes_images};
  facts.signed_calls = target.signed_calls;
  facts.call_ids = target.call_ids;
  facts.reasoning_always = target.reasoning_always;
  return codecs[static_cast<std::size_t>(target.wire)]
      ->encode(context, {target.provider, target.model}, facts)
      .body;
}

// What is wrong with the request for this model; empty: nothing.
std::string wrong_request(Scene scene, const handover::Target& target) {
  context::BuiltContext built = build(scene, target, scene.window);
  for (int cuts = 0; !built.fits() && cuts < 3; ++cuts) {
    const auto plan =
        context::plan_cut(scene.path, scene.redacted, built.for_messages, tools::tool_table());
    if (!plan) {
      ++smallest;
      break;
    }
    ++cut;
    follow(scene.path, context::compaction_entry(*plan, plan->previous,
                                                 {.tokens_per_guess = built.tokens_per_guess}));
    built = build(scene, target, scene.window);
    if (cuts == 2) return "it is cut again and again";
  }
  if (const auto broken = grammar::violations(target, body_of(built, target)); !broken.empty())
    return broken.front();
  if (build(scene, target, scene.window).context.messages != built.context.messages)
    return "built twice, it is not the same";
  if (!has_last_words(built.context.messages)) return "the user's last words are missing";
  return {};
}

// The same with a summary that is made and taken back.
std::string wrong_summary(Scene scene, const handover::Target& target) {
  const auto plan = context::plan_compaction(scene.path, scene.redacted, 500, tools::tool_table());
  if (!plan) return {};
  ++compacted;
  const std::vector<model::Message> before = build(scene, target, scene.window).context.messages;
  follow(scene.path, context::compaction_entry(*plan, "the notes", {}));
  const std::string shorter = body_of(build(scene, target, {}), target);
  if (const auto broken = grammar::violations(target, shorter); !broken.empty())
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
    const auto wire = static_cast<handover::WireFormat>(i);
    const handover::Target target = random_target(dice, wire);
    std::string trouble = wrong_request(scene, target);
    if (trouble.empty() && seed % std::size(codecs) == i) trouble = wrong_summary(scene, target);
    if (!trouble.empty()) return "wire " + std::to_string(i) + ": " + trouble;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1     ? std::strtoull(argv[1], nullptr, 10)
                              : long_run() ? 100'000
                                           : 40'000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 10; ++seed)
    if (const std::string trouble = wrong(seed); !trouble.empty()) {
      ++failures;
      std::printf("seed %llu, %s\n", static_cast<unsigned long long>(seed), trouble.c_str());
    }
  std::printf(
      "context: %llu trees x 4 wires, %zu cuts, %zu as small as they get, %zu trees summed "
      "up and back, %d failures\n",
      static_cast<unsigned long long>(count), cut, smallest, compacted, failures);
  return failures == 0 ? 0 : 1;
}
