#include "repl/terminal/inline_panel.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::terminal;

namespace {

LineLayout at_end(std::string_view text) { return lay_out(text, text.size(), 2, 10); }

}  // namespace

TEST_CASE("a line is shown as it is, the cursor where it is") {
  CHECK(lay_out("abc", 1, 2, 10) == LineLayout{"abc", 1, {0, 3}, {0, 5}});
  CHECK(at_end("") == LineLayout{"", 0, {0, 2}, {0, 2}});
  CHECK(at_end("12345678") == LineLayout{"12345678", 8, {1, 0}, {1, 0}});
  CHECK(at_end("123456789") == LineLayout{"123456789", 9, {1, 1}, {1, 1}});
}

TEST_CASE("a newline fills its row, so that what follows begins the next one") {
  CHECK(at_end("a\nbc") == LineLayout{"a       bc", 10, {1, 2}, {1, 2}});
  CHECK(lay_out("a\nbc", 2, 2, 10) == LineLayout{"a       bc", 8, {1, 0}, {1, 2}});
  CHECK(at_end("a\n").end == Caret{1, 0});
  CHECK(at_end("a\n\nb").end == Caret{2, 1});
  CHECK(at_end("12345678\nb") == LineLayout{"12345678b", 9, {1, 1}, {1, 1}});
  CHECK(at_end("12345678\n\nb").end == Caret{2, 1});
}

TEST_CASE("wide characters, tabs and what could drive a terminal are shown at their width") {
  CHECK(at_end("🫠").end == Caret{0, 4});
  CHECK(at_end("1234567漢") == LineLayout{"1234567 漢", 11, {1, 2}, {1, 2}});
  CHECK(lay_out("a\tb", 3, 2, 40) == LineLayout{"a     b", 7, {0, 9}, {0, 9}});
  CHECK(lay_out("\u0085", 2, 2, 40).shown == "<U+0085>");
}

TEST_CASE("of a text too tall for its place, what is around the cursor is shown") {
  std::string text;
  for (int i = 1; i <= 9; ++i) text += std::to_string(i) + (i < 9 ? "\n" : "");
  const LineLayout all = lay_out(text, text.size(), 2, 20);
  CHECK(around_cursor(all, 2, 20, 9) == all);

  const LineLayout end = around_cursor(all, 2, 20, 4);
  CHECK(rows_of(end, 2, 20) == std::vector<std::string>{"… 6 more above    ",
                                                        "7                   ",
                                                        "8                   ", "9"});
  CHECK(end.caret == Caret{3, 1});
  CHECK(end.end == Caret{3, 1});
  CHECK(end.cursor == end.shown.size());

  const LineLayout middle = around_cursor(lay_out(text, 8, 2, 20), 2, 20, 4);  // before the 5
  const std::vector<std::string> rows = rows_of(middle, 2, 20);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].starts_with("… 3 more above"));
  CHECK(rows[2].starts_with("5"));
  CHECK(rows[3].starts_with("… 4 more below"));
  CHECK(middle.caret == Caret{2, 0});
  for (std::size_t most = 1; most < 4; ++most)
    CHECK(around_cursor(all, 2, 20, most).end.row == most - 1);
}

TEST_CASE("a window may be narrower than the prompt") {
  for (std::size_t columns = 1; columns < 12; ++columns) {
    const LineLayout layout = lay_out("漢字 and\nmore\n", 9, 7, columns);
    const LineLayout cut = around_cursor(layout, 7, columns, 2);
    CHECK(cut.caret.row <= cut.end.row);
    CHECK(cut.shown.size() < 200);
  }
}
