#include "repl/terminal/key_map.h"

#include <doctest/doctest.h>

#include "core/text/text.h"
#include "repl/layout/width.h"
#include "tests/support/recorded_screen.h"

using namespace skein;
using namespace skein::terminal;

TEST_CASE("the keys fit on one screen of 80 columns, and none is left out") {
  for (const std::size_t width : {std::size_t{40}, std::size_t{80}, std::size_t{200}}) {
    CAPTURE(width);
    const std::string help = key_help(usual_keys(), width, test::no_colour);
    const std::vector<std::string_view> rows = split(help, '\n');
    for (const std::string_view row : rows) CHECK(layout::display_width(row) <= width);
    if (width >= 80) CHECK(rows.size() <= 20);
    for (const KeyRow& row : key_rows())
      CHECK(help.find("  " + std::string(row.brief)) != std::string::npos);
    CHECK(help.find("…") == std::string::npos);
  }
}

TEST_CASE("read out, a key is named with all it does") {
  const std::string help = key_help(usual_keys(), 80, test::screen_reader);
  CHECK(help.find("Ctrl+G, Ctrl+X Ctrl+E: open the line in your editor\n") != std::string::npos);
  CHECK(help.find("    ") == std::string::npos);
}
