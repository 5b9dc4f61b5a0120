#include "core/model/message.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::model;

TEST_CASE("whatever is not a whole answer is said, and a way on where there is one") {
  CHECK(ending_of(Stop::stop, "", false) == Ending{});
  CHECK(ending_of(Stop::tool_use, "", false) == Ending{});
  CHECK(ending_of(Stop::aborted, "", true) == Ending{});  // the user knows
  CHECK(ending_of(Stop::stop, "", true) == Ending{"the model sent an empty answer", true});
  CHECK(ending_of(Stop::length, "", false) ==
        Ending{"the answer is not complete: the model reached its output limit", true});
  CHECK(ending_of(Stop::length, "", true) ==
        Ending{"the model reached its output limit before it said anything", true});
  CHECK(ending_of(Stop::refusal, "", true) == Ending{"the answer was refused or filtered", true});
  CHECK(ending_of(Stop::refusal, "unsafe", false) ==
        Ending{"the answer was refused or filtered: unsafe", true});
  CHECK(ending_of(Stop::interrupted, "connection lost", false) ==
        Ending{"the answer was cut short: connection lost", true});
  CHECK(ending_of(Stop::error, "no key", true) == Ending{"no key", false});
}

TEST_CASE("an answer of blanks and thoughts is empty, one that calls or shows is not") {
  const auto empty = [](std::vector<Block> content) {
    return is_empty_answer({.role = Role::assistant, .content = std::move(content)});
  };
  CHECK(empty({}));
  CHECK(empty({Text{" \n"}, Thinking{"hm"}}));
  CHECK_FALSE(empty({Text{"a"}}));
  CHECK_FALSE(empty({ToolUse{"1", "look"}}));
  CHECK_FALSE(empty({Image{"image/png", "b"}}));
}
