#include "core/model/entry.h"
#include "core/model/tree.h"

#include <doctest/doctest.h>

#include "core/context/compaction.h"
#include "tests/support/paths.h"

using namespace skein;
using namespace skein::model;
using namespace skein::test;

TEST_CASE("a turn is what a prompt led to, with its summaries, and begins with the prompt") {
  Message first = answers("", {{"1", "read"}, {"2", "read"}});
  first.usage = Usage{.input = 10, .output = 2, .cache_read = 5};
  first.duration_ms = 300;
  Message second = answers("done");
  second.usage = Usage{.input = 20, .output = 3};
  second.duration_ms = 200;
  Message other = answers("hi");
  other.model = "other";
  other.usage = Usage{.input = 1};

  std::vector<Entry> path =
      path_of({answers("before any prompt"), user_message("read  both\n files"), first,
               result_of("1", "a"), result_of("2", "b")});
  follow(path,
         context::compaction_entry({}, "notes", {{"anthropic", "claude"}, Usage{.input = 100}}));
  for (const Message& message : {second, user_message("again"), other})
    follow(path, message_entry(message));

  const std::vector<TurnCost> turns = turns_of(path);
  REQUIRE(turns.size() == 2);
  CHECK(turns[0] ==
        TurnCost{.prompt = path[1].id,
                 .preview = "read both files",
                 .usage = {{"anthropic/claude", {.input = 130, .output = 5, .cache_read = 5}}},
                 .calls = 2,
                 .duration_ms = 500});
  CHECK(turns[1] == TurnCost{.prompt = path[7].id,
                             .preview = "again",
                             .usage = {{"anthropic/other", {.input = 1}}}});
}

TEST_CASE("what a stopped answer cost is not known") {
  Message stopped = answers("half");
  stopped.stop = Stop::aborted;
  const std::vector<TurnCost> turns =
      turns_of(path_of({user_message("a"), stopped, user_message("b"), answers("whole")}));
  REQUIRE(turns.size() == 2);
  CHECK_FALSE(turns[0].all_counted);
  CHECK(turns[1].all_counted);
}
