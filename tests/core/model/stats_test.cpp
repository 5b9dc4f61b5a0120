#include "core/model/state.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::model;

TEST_CASE("what a session came to reads like a sentence") {
  SessionState state{.messages = 3, .tool_calls = 7, .duration_ms = 125'400};
  state.usage["a/b"] = {20'000, 5'200, 20'000, 0, 0};
  CHECK(stats_line(state, Cost{0.123}) ==
        "3 messages · 45.2k tokens (50% cached) · 7 tool calls · 2 min 5 s · $0.12");
}

TEST_CASE("a session of before anything was counted shows that it is not known") {
  CHECK(stats_line({}, std::nullopt) == "- messages · - tokens");
}

TEST_CASE("one of a thing is not several, and small numbers stay exact") {
  SessionState state{.messages = 1, .tool_calls = 1, .duration_ms = 900};
  state.usage["a/b"] = {900, 99, 0, 0, 0};
  CHECK(stats_line(state, Cost{0.00123}) ==
        "1 message · 999 tokens · 1 tool call · 900 ms · $0.0012");
  state.usage["a/b"] = {2'500'000, 0, 0, 0, 0};
  state.duration_ms = 7'500'000;
  CHECK(stats_line(state, std::nullopt) == "1 message · 2.5M tokens · 1 tool call · 2 h 5 min");
}
