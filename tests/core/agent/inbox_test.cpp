#include "core/agent/conversation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/homes.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using Lines = std::vector<std::string>;

TEST_CASE("what comes during a turn stands behind the results and before the next request") {
  Stage stage(R"([[{"call": {"id": "c1", "name": "look"}}], "done", "again"])");
  Conversation conversation = stage.conversation();
  stage.listener = [&](const model::Event& event) {
    if (std::holds_alternative<model::ToolStarted>(event))
      stage.inbox.put(news("job 3 ended", "job:3"));
  };
  stage.turn(conversation, "go");
  stage.inbox.put(news("job 4 ended, sk-secret", "job:4"));
  stage.turn(conversation, "and now");
  const Lines lines = lines_of(stage.stored(conversation));
  const auto at = std::ranges::find(lines, "result c1: done");
  CHECK(Lines(at, lines.end()) == Lines{"result c1: done", "user: job 3 ended",
                                        "assistant: done -> stop", "user: job 4 ended, [key]",
                                        "user: and now", "assistant: again -> stop"});
  CHECK(stage.inbox.empty());
}

TEST_CASE("what was handed out cannot be taken back, what was not can") {
  Inbox inbox;
  const model::Entry one = news("one", "test");
  const model::Entry two = news("two", "test");
  inbox.put(one);
  inbox.put(two);
  CHECK(inbox.take_back(one.id));
  CHECK_FALSE(inbox.take_back(one.id));
  const std::vector<model::Entry> taken = inbox.take();
  REQUIRE(taken.size() == 1);
  CHECK(taken.front().id == two.id);
  CHECK_FALSE(inbox.take_back(two.id));
}

TEST_CASE("what is for one session waits while another is worked in") {
  Inbox inbox;
  const Id here = random_id(), there = random_id();
  inbox.put(news("for here", "test"), here);
  inbox.put(news("for there", "test"), there);
  inbox.put(news("for any", "test"));
  CHECK(lines_of(inbox.take(here)) == Lines{"user: for here", "user: for any"});
  CHECK(inbox.take(here).empty());
  CHECK(lines_of(inbox.take(there)) == Lines{"user: for there"});
}
