#include "repl/layout/table.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::layout;

TEST_CASE("the widest columns give way first") {
  using Widths = std::vector<std::size_t>;
  CHECK(share_out({3, 10, 20}, 0) == Widths{3, 10, 20});
  CHECK(share_out({3, 10, 20}, 40) == Widths{3, 10, 20});
  CHECK(share_out({3, 10, 20}, 25) == Widths{3, 10, 12});
  CHECK(share_out({3, 10, 20}, 20) == Widths{3, 8, 9});
  CHECK(share_out({3, 10, 20}, 4) == Widths{3, 3, 3});
  CHECK(share_out({}, 4) == Widths{});
}

TEST_CASE("a list lines up by what is seen, and is cut to the width there is") {
  const Table table{.columns = {{"key"}, {"turns", true}, {"title"}},
                    .rows = {{"main", "3", "漢字 and\nmore"}, {"other:key", "12", "evil \033[2J"}},
                    .marked = 1};
  CHECK(drawn(table, 0, {}) ==
        "  key        turns  title\n"
        "  main           3  漢字 and more\n"
        "* other:key     12  evil ␛[2J\n");
  CHECK(drawn(table, 26, {}) ==
        "  key      turns  title\n"
        "  main         3  漢字 an…\n"
        "* other:…     12  evil ␛[…\n");
  Table scarce = table;
  scarce.columns[1].optional = true;
  CHECK(drawn(scarce, 26, {}) ==
        "  key        title\n"
        "  main       漢字 and more\n"
        "* other:key  evil ␛[2J\n");
  CHECK(drawn(scarce, 40, {}) == drawn(table, 40, {}));
  CHECK(drawn(table, 0, {.colour = true}).find("\033[1m* other:key") != std::string::npos);
}

TEST_CASE(
    "a table that is read out says each value with its column, and has no blanks to fill it") {
  const Table table{.columns = {{"key"}, {"turns", true, true}, {"title"}},
                    .rows = {{"main:cli:user", "3", ""}, {"main:bot:1", "12", "tabs\nhere"}},
                    .marked = 1};
  CHECK(drawn(table, 20, {.labels = true}) ==
        "key: main:cli:user, turns: 3\n"
        "current, key: main:bot:1, turns: 12, title: tabs here\n");
}

TEST_CASE("of keys and folders the end is kept, and what is worth it gets room from others") {
  const Table table{.columns = {{.title = "title", .readable = 20},
                                {.title = "turns", .right = true, .optional = true},
                                {.title = "key", .keep_end = true}},
                    .rows = {{"a title of some length", "3", "main:cli:user"}}};
  CHECK(drawn(table, 30, {}) ==
        "  title          key\n"
        "  a title of s…  main:cli:user\n");
  CHECK(drawn(table, 20, {}) ==
        "  title     key\n"
        "  a title…  …li:user\n");
}
