// Hands random transcripts to every kind of target: no rule may be broken, a second pass may change
// nothing, a longer conversation may change nothing that was sent before, and no word is lost.
//   handover_sweep [count [first seed]]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../support/random_transcript.h"
#include "core/handover/carry_over.h"
#include "core/handover/normalize.h"
#include "tests/support/handover_rules.h"
#include "tests/support/long_run.h"

using namespace skein;
using namespace skein::test;

namespace {

constexpr handover::WireFormat wires[] = {
    handover::WireFormat::anthropic, handover::WireFormat::openai_chat,
    handover::WireFormat::openai_responses, handover::WireFormat::google};

std::size_t synthetic = 0, calls = 0, messages_in = 0, grown = 0;

std::vector<std::string> words(const model::Message& message) {
  std::vector<std::string> out;
  for (const model::Block& block : message.content)
    if (const auto* text = std::get_if<model::Text>(&block)) out.push_back(text->text);
  return out;
}

// Every text of the transcript comes out, in order; it may have become a paragraph of its own.
bool keeps_words(const std::vector<model::Message>& in, const std::vector<model::Message>& out,
                 const handover::Target& target) {
  std::vector<std::string> said;
  for (const model::Message& message : out)
    for (std::string& text : words(message)) said.push_back(std::move(text));
  auto next = said.begin();
  for (const model::Message& message : in)
    for (const std::string& text : words({.content = handover::carry_over(message, target)})) {
      while (next != said.end() && *next != text && *next != "\n\n" + text) ++next;
      if (next++ == said.end()) return false;
    }
  return true;
}

void count(const std::vector<model::Message>& messages) {
  for (const model::Message& message : messages)
    for (const model::Block& block : message.content)
      if (const auto* result = std::get_if<model::ToolResult>(&block)) {
        ++calls;
        synthetic += result->content == std::vector<model::ResultBlock>{
                                            model::Text{std::string(handover::interrupted_text)}};
      }
}

// `before` is what `after` begins with; a user message at its end may have grown.
bool begins_with(const std::vector<model::Message>& after,
                 const std::vector<model::Message>& before) {
  if (after.size() < before.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (after[i] == before[i]) continue;
    model::Message cut = after[i];
    if (i + 1 != before.size() || cut.role != model::Role::user ||
        cut.content.size() < before[i].content.size())
      return false;
    cut.content.resize(before[i].content.size());
    if (cut != before[i]) return false;
    ++grown;
  }
  return true;
}

// What is wrong with the hand-over of one transcript; empty: nothing.
std::string wrong(std::uint64_t seed, handover::WireFormat wire) {
  Dice dice(seed * 4 + static_cast<std::uint64_t>(wire));
  handover::Target target = random_target(dice, wire);
  std::vector<model::Message> messages = random_transcript(dice);
  messages_in += messages.size();

  std::vector<model::Message> before = handover::normalize(messages, target);
  count(before);
  if (const auto broken = violations(before, target); !broken.empty()) return broken[0];
  // Calls that must be signed are the target's own in a second pass.
  if (!target.signed_calls && handover::normalize(before, target) != before)
    return "a second pass changes something";
  if (!keeps_words(messages, before, target)) return "words are lost";

  std::vector<std::vector<model::Message>> turn = complete_turn(dice);
  // Whose steps are sent one by one is the target.
  if (seed % 4 == 0)
    for (std::vector<model::Message>& step : turn)
      for (model::Message& message : step)
        if (message.role == model::Role::assistant)
          message.provider = target.provider, message.model = target.model;
  for (std::size_t i = 0; i < turn.size(); ++i) {
    messages.insert(messages.end(), turn[i].begin(), turn[i].end());
    // The whole turn always; every step of it, as the agent sends them, for one seed in four.
    if (seed % 4 != 0 && i + 1 != turn.size()) continue;
    std::vector<model::Message> after = handover::normalize(messages, target);
    if (!begins_with(after, before)) return "what was sent before has changed";
    if (const auto broken = violations(after, target); !broken.empty()) return broken[0];
    before = std::move(after);
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
    for (const handover::WireFormat wire : wires)
      if (const std::string trouble = wrong(seed, wire); !trouble.empty()) {
        ++failures;
        std::printf("seed %llu, wire %d: %s\n", static_cast<unsigned long long>(seed),
                    static_cast<int>(wire), trouble.c_str());
      }
  std::printf(
      "handover: %llu transcripts x 4 targets, %zu messages, %zu calls (%zu never answered), "
      "%zu joined user messages, %d failures\n",
      static_cast<unsigned long long>(count), messages_in, calls, synthetic, grown, failures);
  return failures == 0 ? 0 : 1;
}
