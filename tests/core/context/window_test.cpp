#include "core/context/history.h"

#include <doctest/doctest.h>

#include "core/model/provider.h"
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

std::vector<model::Message> kept_from(const std::vector<ContextMessage>& said, std::size_t from) {
  std::vector<model::Message> out = messages_in(said);
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(from));
  return out;
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
  const auto all =
      talk({model::user_message("1" + words), answers("1" + words),
            model::user_message("2" + words), answers("2" + words), model::user_message("3")});
  CHECK(kept_from(all, cut_place(all, tokens_of(all) - 1)) ==
        std::vector<model::Message>{model::user_message("3")});  // half of the room, if it can be
  CHECK(cut_place(all, 2 * tokens_of(all)) == 0);
  CHECK(cut_place(all, tokens_from(all, 2) * 2) == 2);
}

TEST_CASE("a turn that takes more than half of the room is kept while it fits") {
  const auto all =
      talk({model::user_message("1" + words), answers("1" + words),
            model::user_message("2" + words), answers("", {{"1", "read"}}), result_of("1", words)});
  CHECK(cut_place(all, tokens_from(all, 2)) == 2);
  CHECK(cut_place(all, tokens_from(all, 2) - 1) == 3);
}

TEST_CASE("inside a long turn old steps go, and the user's message counts as kept") {
  const auto all =
      talk({model::user_message("do it"), answers(words, {{"1", "read"}}), result_of("1", words),
            answers(words, {{"2", "read"}}), result_of("2", words)});
  CHECK(cut_place(all, 300) == 3);
  CHECK(tokens_from(all, 3) == all[0].tokens + all[3].tokens + all[4].tokens);
}

TEST_CASE("a summary counts as kept, and a request does not begin with it") {
  auto all = talk({model::user_message("summary"), model::user_message("1" + words),
                   answers("1" + words), model::user_message("2")});
  all[0].pinned = true;
  all[0].by_user = false;
  CHECK(cut_place(all, 40) == 3);
  CHECK(tokens_from(all, 3) == all[0].tokens + all[3].tokens);
}

TEST_CASE("the user's last words stay even if they alone are too many") {
  const auto all = talk({model::user_message("1"), answers("1"), model::user_message(words)});
  CHECK(cut_place(all, 10) == 2);
}

TEST_CASE("what was not read to its beginning begins at the next place where it may") {
  auto all = talk({result_of("0", "x"), answers("a"), model::user_message("b")});
  CHECK(begin_at_border(all) == 1);
  CHECK(messages_in(all) == std::vector<model::Message>{answers("a"), model::user_message("b")});
}

TEST_CASE("of a long result the beginning is kept, the same every time") {
  model::Message result = result_of("1", file);
  CHECK(shorten_results(result, 8000) == 0);
  CHECK(shorten_results(result, 4000) == 1);
  CHECK(result == result_of("1", std::string(4000, 'f') +
                                     "\n[of 2007 tokens of output, the rest was left out to save "
                                     "space; call the tool again if you need it]"));
  model::Message brief = result_of("1", words);
  CHECK(shorten_results(brief, 40) == 0);  // not worth it
}
