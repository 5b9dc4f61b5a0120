#include "repl/screen/activity.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace skein;
using namespace skein::screen;

TEST_CASE("a running tool has a clock of its own, and the turn goes on with its own") {
  Activity activity;
  activity.hear(model::Role::user, 0);
  activity.hear(model::ToolStarted{{.id = "c", .name = "bash", .input = "{}"}, "bash make"},
                60'000);
  CHECK(activity.at(62'000).activity == "bash make");
  CHECK(activity.at(62'000).elapsed_ms == 2'000);
  activity.hear(model::ToolEnded{"c"}, 63'000);
  CHECK(activity.at(64'000).elapsed_ms == 64'000);
}

TEST_CASE("a wait counts down by itself, the number before the reason") {
  using std::chrono::seconds;
  Activity activity;
  activity.hear(model::Role::user, 0);
  activity.hear(model::Retrying{1, seconds(15), "too many requests"}, 1'000);
  CHECK(activity.at(1'000).activity == "trying again in 15 s: too many requests");
  CHECK(activity.at(10'500).activity == "trying again in 6 s: too many requests");
  CHECK(activity.at(60'000).activity == "trying again in 0 s: too many requests");
}

TEST_CASE("of several calls that tell how far they are each has a row") {
  Activity activity;
  activity.hear(model::Role::user, 0);
  for (const char* id : {"a", "b"})
    activity.hear(
        model::ToolStarted{{.id = id, .name = "agent", .input = "{}"}, "agent " + std::string(id)},
        1'000);
  CHECK(activity.at(2'000).rows.empty());  // they have said nothing yet
  activity.hear(model::ToolOutput{"a", "read x\n"}, 2'000);
  activity.hear(model::ToolOutput{"b", "first\nlist y\n"}, 2'000);
  CHECK(activity.at(4'000).rows ==
        std::vector<std::string>{"agent a  3 s · read x", "agent b  3 s · list y"});
  CHECK(activity.at(4'000).activity == "2 calls at once");
  activity.hear(model::ToolEnded{"a"}, 5'000);
  activity.hear(model::Role::tool, 5'000);
  CHECK(activity.at(6'000).rows.empty());  // one is shown as ever
  CHECK(activity.at(6'000).activity == "agent b");
}
