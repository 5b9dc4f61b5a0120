#include "repl/pick/ask.h"

#include <doctest/doctest.h>

#include <vector>

using namespace skein::pick;

TEST_CASE("a list that is read out is answered with a number") {
  const std::vector<std::string> lines{"first", "second"};
  CHECK(numbered_list("sessions", lines) ==
        "sessions:\n1: first\n2: second\nnumber (empty: none) › ");
  CHECK(number_in("1", 2) == 0);
  CHECK(number_in(" 2 ", 2) == 1);
  for (const char* none : {"", "0", "3", "-1", "1x", "first", "99999999999999999999"})
    CHECK_MESSAGE(!number_in(none, 2), none);
}
