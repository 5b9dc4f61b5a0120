#include "repl/prompt/type_ahead.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::prompt;

TEST_CASE("below a turn stand the lines that wait, the line being typed and its cursor") {
  edit::LineEdit line;
  line.start({.text = "and one more"});
  line.apply(terminal::ctrl('a'));
  const screen::LiveInput shown =
      live_input({.waiting = {"1 queued · a", "2 steers · b"}, .line = line}, {80, 24});
  REQUIRE(shown.region.rows.size() == 3);
  CHECK(shown.region.rows[1].text == "  2 steers · b");
  CHECK(shown.region.rows[2].text == "› and one more");
  CHECK(shown.region.caret == layout::Caret{2, 2});
  CHECK(shown.used);
}

TEST_CASE("however much is typed or waits, the text above keeps its place") {
  edit::LineEdit line;
  for (int i = 0; i < 60; ++i) line.insert("a row of words that is long enough to wrap\n");
  const std::vector<std::string> waiting(20, "1 queued · something");
  for (std::size_t rows = 4; rows < 40; ++rows)
    for (const std::size_t columns : {10, 40, 80}) {
      const screen::LiveInput shown =
          live_input({.waiting = waiting, .line = line}, {columns, rows});
      CAPTURE(rows);
      CHECK(shown.region.rows.size() + 3 <= std::max<std::size_t>(rows, 5));
      REQUIRE(shown.region.caret);
      CHECK(shown.region.caret->row < shown.region.rows.size());
    }
}

TEST_CASE("an empty line says what Enter would do, and is not in use") {
  const edit::LineEdit line;
  const screen::LiveInput shown = live_input({.line = line, .hint = "Enter queues"}, {80, 24});
  REQUIRE(shown.region.rows.size() == 1);
  CHECK(shown.region.rows[0].text == "› ");
  CHECK(shown.region.rows[0].aside == "Enter queues");
  CHECK_FALSE(shown.used);
}
