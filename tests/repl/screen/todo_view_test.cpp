#include "repl/screen/turn_view.h"

#include <doctest/doctest.h>

#include <string>

#include "core/text/text.h"
#include "repl/layout/width.h"

using namespace skein;
using namespace skein::screen;
using plan::TodoList;
using State = plan::TodoItem::State;

TEST_CASE("the list is shown whole, and only what changed where that is little") {
  const TodoList before{{State::doing, "a"},
                        {State::pending, "b"},
                        {State::pending, "c"},
                        {State::pending, "d"},
                        {State::pending, "e"}};
  TodoList now = before;
  now[0].state = State::done;
  now[1].state = State::doing;
  CHECK(todo_view(before, {}, 0, {}) == "  ▸ a\n  ○ b\n  ○ c\n  ○ d\n  ○ e\n");
  CHECK(todo_view(now, before, 0, {}) == "  ✓ a\n  ▸ b\n");
  now.pop_back();
  CHECK(todo_view(now, before, 0, {}) == "  ✓ a\n  ▸ b\n  ○ c\n  ○ d\n");
  CHECK(todo_view(now, before, 0, {.labels = true}) ==
        "  done: a\n  doing: b\n  to do: c\n  to do: d\n");
  CHECK(todo_part(now) == "▸ 1/4 b");
  CHECK(todo_part({{State::done, "a"}}) == "");
}

TEST_CASE("an item stays in its columns and drives no terminal") {
  const std::string shown = todo_view(
      {{State::pending, "a long item that has to be broken\x1b[2J between \x07words <b>x</b>"}}, {},
      20, {});
  CHECK(shown.find('\x1b') == std::string::npos);
  CHECK(shown.find('\x07') == std::string::npos);
  const std::vector<std::string_view> rows = split(shown, '\n');
  CHECK(rows.size() > 2);
  for (const std::string_view row : rows) CHECK(layout::display_width(row) <= 20);
}
