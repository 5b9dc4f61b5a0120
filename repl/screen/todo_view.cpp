#include "repl/screen/todo_view.h"

#include "core/text/text.h"
#include "repl/layout/flow.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::screen {

namespace {

namespace style = layout::style;
using State = plan::TodoItem::State;

std::string todo_mark(State state, bool labels) {
  switch (state) {
    case State::done: return labels ? "done: " : "✓ ";
    case State::doing: return labels ? "doing: " : "▸ ";
    case State::pending: return labels ? "to do: " : "○ ";
  }
  return {};
}

layout::Style style_of(State state) {
  return state == State::done ? style::dim : state == State::doing ? style::strong : style::plain;
}

std::string todo_row(const plan::TodoItem& item, std::size_t width,
                     const layout::TerminalStyle& look) {
  const std::string mark = todo_mark(item.state, look.labels);
  const std::size_t before = 2 + layout::display_width(mark);
  const std::string text =
      layout::wrapped(layout::sanitized_row(item.text), width > before ? width - before : 0);
  std::string out, begin = "  " + mark;
  for (const std::string_view row : split(text, '\n')) {
    out += layout::painted(begin + std::string(row), style_of(item.state), look) + "\n";
    begin = std::string(before, ' ');
  }
  return out;
}

bool is_changed(const plan::TodoList& before, std::size_t i, const plan::TodoItem& item) {
  return i >= before.size() || before[i] != item;
}

}  // namespace

std::string todo_view(const plan::TodoList& list, const plan::TodoList& before, std::size_t width,
                      const layout::TerminalStyle& look) {
  std::size_t changed = 0;
  for (std::size_t i = 0; i < list.size(); ++i) changed += is_changed(before, i, list[i]);
  const bool few = before.size() == list.size() && changed * 2 < list.size();
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!few || is_changed(before, i, list[i])) out += todo_row(list[i], width, look);
  return out;
}

std::string todo_part(const plan::TodoList& list) {
  const plan::TodoItem* const current = plan::current_in(list);
  if (current == nullptr) return {};
  return "▸ " + std::to_string(plan::done_in(list)) + "/" + std::to_string(list.size()) + " " +
         current->text;
}

}  // namespace skein::screen
