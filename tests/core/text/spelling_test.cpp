#include "core/text/text.h"

#include <doctest/doctest.h>

#include <array>

using namespace skein;

TEST_CASE("a misspelling costs one for each letter that is wrong") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("sessions", "sessions") == 0);
  CHECK(edit_distance("sesions", "sessions") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("two letters that changed places are one mistake") {
  CHECK(edit_distance("modle", "model") == 1);
  CHECK(edit_distance("ab", "ba") == 1);
}

TEST_CASE("what is like no known word means none of them") {
  constexpr std::array<std::string_view, 4> known{"model", "models", "max-turns", "thinking"};
  CHECK(nearest("modle", known) == "model");
  CHECK(nearest("max_turns", known) == "max-turns");
  CHECK(nearest("thinkng", known) == "thinking");
  CHECK(nearest("temperature", known) == "");
  CHECK(nearest("x", known) == "");
  CHECK(nearest("", known) == "");
}
