#include "repl/prompt/type_ahead.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/agent/conversation.h"

using namespace skein;
using namespace skein::prompt;

namespace {

struct Turn {
  agent::Inbox inbox{};
  WaitingLines lines{{.hand_over = [this](const edit::Draft& line) -> std::optional<Id> {
                        const model::Entry word = agent::steered(model::user_message(line.text));
                        inbox.put(word);
                        return word.id;
                      },
                      .take_back = [this](Id word) { return inbox.take_back(word); }}};
};

std::vector<std::string> texts(const std::vector<edit::Draft>& drafts) {
  std::vector<std::string> out;
  for (const edit::Draft& each : drafts) out.push_back(each.text);
  return out;
}

}  // namespace

TEST_CASE("a line that was taken back is never sent, one that was handed out cannot be") {
  Turn turn;
  turn.lines.steer({.text = "one"});
  turn.lines.steer({.text = "two"});
  CHECK(turn.lines.take_back(turn.lines.size())->text == "two");
  const std::vector<model::Entry> sent = turn.inbox.take();
  REQUIRE(sent.size() == 1);
  CHECK_FALSE(turn.lines.take_back(1));
  CHECK(turn.lines.size() == 1);
  CHECK(turn.lines.delivered(sent.front().id)->text == "one");
  CHECK(turn.lines.empty());
}

TEST_CASE("what has not been delivered when the turn ends comes next, in the order it was typed") {
  Turn turn;
  turn.lines.queue({.text = "first"});
  turn.lines.steer({.text = "second"});
  turn.lines.queue({.text = "third"});
  CHECK(turn.lines.described() ==
        std::vector<std::string>{"#1 queued · first", "#2 steers · second", "#3 queued · third"});
  CHECK(texts(turn.lines.take_all()) == std::vector<std::string>{"first", "second", "third"});
  CHECK(turn.inbox.empty());
}

TEST_CASE("without a way into the turn a line that steers is queued") {
  WaitingLines lines;
  lines.steer({.text = "x"});
  CHECK(lines.described() == std::vector<std::string>{"#1 queued · x"});
  CHECK(lines.take_back(1)->text == "x");
  CHECK_FALSE(lines.take_back(1));
  CHECK_FALSE(lines.take_back(0));
}
