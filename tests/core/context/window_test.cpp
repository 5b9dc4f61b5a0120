#include "core/context/window.h"

#include <doctest/doctest.h>

#include "core/model/tokens.h"
#include "tests/support/paths.h"

using namespace skein;
using namespace skein::context;
using namespace skein::test;

namespace {

// Ids as a program would give them that counts.
std::vector<ContextMessage> talk(const std::vector<model::Message>& messages) {
  std::vector<ContextMessage> out;
  for (const model::Message& message : messages)
    out.push_back({.entry = Id{out.size() + 1},
                   .message = message,
                   .tokens = model::tokens_of(message),
                   .by_user = message.role == model::Role::user});
  return out;
}

std::vector<model::Message> messages_in(const std::vector<ContextMessage>& said) {
  std::vector<model::Message> out;
  for (const ContextMessage& each : said) out.push_back(each.message);
  return out;
}

std::size_t pruned_in(const std::vector<ContextMessage>& said) {
  std::size_t count = 0;
  for (const ContextMessage& each : said) count += each.pruned;
  return count;
}

const std::string words(400, 'w');  // a hundred tokens
const std::string file(8000, 'f');  // two thousand

}  // namespace

TEST_CASE("room is kept for the answer, but never more than half the window") {
  CHECK(room_in({200'000, 64'000}) == 136'000);
  CHECK(room_in({8'000, 8'000}) == 4'000);
  CHECK(room_in({}) == 0);
}

TEST_CASE("a request may not begin between a call and its result") {
  const auto all = talk({model::user_message("a"), answers("", {{"1", "read"}, {"2", "read"}}),
                         result_of("1", "x"), answers("in between"), result_of("2", "y"),
                         answers("b"), model::user_message("c")});
  CHECK(borders(all) == std::vector<bool>{true, true, false, false, false, true, true});
}

TEST_CASE("whole old turns are left out first, so that the request begins with the user") {
  auto all =
      talk({model::user_message("1" + words), answers("1" + words),
            model::user_message("2" + words), answers("2" + words), model::user_message("3")});
  CHECK(cut_to(all, tokens_of(all) - 1) == 2);
  CHECK(messages_in(all) == std::vector<model::Message>{model::user_message("2" + words),
                                                        answers("2" + words),
                                                        model::user_message("3")});
}

TEST_CASE("inside a long turn old steps go, the user's message and the last step stay") {
  auto all = talk({model::user_message("do it"), answers(words, {{"1", "read"}}),
                   result_of("1", words), answers(words, {{"2", "read"}}), result_of("2", words)});
  CHECK(cut_to(all, 300) == 2);
  CHECK(messages_in(all) == std::vector<model::Message>{model::user_message("do it"),
                                                        answers(words, {{"2", "read"}}),
                                                        result_of("2", words)});
}

TEST_CASE("a summary is never left out") {
  auto all = talk({model::user_message("summary"), model::user_message("1" + words),
                   answers("1" + words), model::user_message("2")});
  all[0].pinned = true;
  all[0].by_user = false;
  CHECK(cut_to(all, 40) == 2);
  CHECK(messages_in(all) ==
        std::vector<model::Message>{model::user_message("summary"), model::user_message("2")});
}

TEST_CASE("the user's last words stay even if they alone are too many") {
  auto all = talk({model::user_message("1"), answers("1"), model::user_message(words)});
  cut_to(all, 10);
  CHECK(messages_in(all) == std::vector<model::Message>{model::user_message(words)});
}

TEST_CASE("more than half of what fits is kept, and the place of the cut stays for many turns") {
  std::vector<model::Message> messages;
  std::vector<Id> begins;
  for (int turn = 0; turn < 300; ++turn) {
    messages.push_back(model::user_message(words));
    messages.push_back(answers(words));
    auto all = talk(messages);
    if (tokens_of(all) <= 6000) continue;
    cut_to(all, 6000);
    CHECK(tokens_of(all) <= 6000);
    CHECK(tokens_of(all) > 3000);
    begins.push_back(all.front().entry);
  }
  std::size_t moves = 0;
  for (std::size_t i = 1; i < begins.size(); ++i) {
    CHECK(begins[i - 1] <= begins[i]);
    moves += begins[i - 1] != begins[i];
  }
  CHECK(begins.size() > 250);
  CHECK(moves < begins.size() / 4);  // a cut at the last possible place would move every time
}

TEST_CASE("long results far back become a word, what is new stays whole") {
  auto all = talk({model::user_message("a"), answers("", {{"1", "read"}}), result_of("1", file),
                   answers("b"), model::user_message("c"), answers("", {{"2", "read"}}),
                   result_of("2", file), answers("d"), model::user_message("e")});
  const std::vector<model::Message> before = messages_in(all);
  prune_results(all, 10'000);
  CHECK(messages_in(all) == before);  // not yet half of the room

  prune_results(all, 3'000);
  CHECK(pruned_in(all) == 1);
  CHECK(all[2].message == result_of("1",
                                    "[2007 tokens of output were left out to save room; call the "
                                    "tool again if they are needed]"));
  CHECK(all[2].tokens == model::tokens_of(all[2].message));
  CHECK(all[6].message == before[6]);
}

TEST_CASE("a result the model has not answered yet is not taken away by age") {
  auto all = talk({model::user_message("a"), answers("", {{"1", "read"}}), result_of("1", file)});
  prune_results(all, 1'000);
  CHECK(pruned_in(all) == 0);
  shorten_results(all);
  CHECK(pruned_in(all) == 1);
  const auto& result = std::get<model::ToolResult>(all[2].message.content[0]);
  CHECK(std::get<model::Text>(result.content[0]).text.starts_with("ffff"));
  CHECK(all[2].tokens < 500);
}
