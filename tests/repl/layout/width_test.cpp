#include "repl/layout/width.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::layout;

TEST_CASE("a character takes the columns a terminal gives it") {
  struct Row {
    std::string_view text;
    std::size_t columns;
  };
  const Row rows[] = {
      {"", 0},
      {"plain", 5},
      {"größer", 6},
      {"漢字", 4},
      {"e\u0301", 1},
      {"👩\u200D👩\u200D👧\u200D👦", 2},
      {"🇩🇪🇫🇷", 4},
      {"☀\uFE0F", 2},
      {"☀", 1},
      {"👍🏽", 2},
      {"🫠", 2},
      {"한글", 4},
      {"\u1112\u1161\u11AB", 2},
      {"… · ›", 5},
      {"a\tb", 9},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(display_width(row.text) == row.columns);
  }
  CHECK(display_width("\t", 5) == 3);
}

TEST_CASE("a text that is cut never is wider than it may be") {
  CHECK(fit("hello", 5) == "hello");
  CHECK(fit("hello", 4) == "hel…");
  CHECK(fit("漢字漢字", 4) == "漢…");
  CHECK(fit("hello", 0) == "");
  CHECK(fit_end("hello", 3) == "…lo");
  CHECK(fit_end("漢字漢字", 4) == "…字");
  CHECK(padded("漢", 4) == "漢  ");
  CHECK(padded("hello", 3) == "hello");
}
