#include "repl/layout/flow.h"

#include <doctest/doctest.h>

#include "repl/layout/style.h"

using namespace skein::layout;

TEST_CASE("rows are counted as a terminal breaks them, styles take no room") {
  CHECK(rows_of("", 10) == 0);
  CHECK(rows_of("one\n\nthree", 10) == 3);
  CHECK(rows_of("0123456789\n01234567890\n", 10) == 3);
  CHECK(rows_of(painted("0123456789", style::strong, {.colour = true}) + "\n", 10) == 1);
  CHECK(rows_of("0123456789 and more\n", 0) == 1);
}

TEST_CASE("the start or the end of a text, in so many rows, and how much of it is not there") {
  const std::string text = "a\nb\n0123456789 01234\nd\ne\n";
  CHECK(first_rows(text, 2, 10).text == "a\nb\n");
  CHECK(first_rows(text, 3, 10).text == "a\nb\n");
  CHECK(first_rows(text, 4, 10).text == "a\nb\n0123456789 01234\n");
  CHECK(last_rows(text, 2, 10).text == "d\ne\n");
  CHECK(last_rows(text, 3, 10).text == "d\ne\n");
  CHECK(last_rows(text, 3, 10).lines_out == 3);
  CHECK(last_rows(text, 6, 10).lines_out == 0);
  CHECK(last_rows("0123456789 01234", 1, 10).text == "0123456789 01234");
  CHECK(first_rows("", 3, 10).lines_out == 0);
}
