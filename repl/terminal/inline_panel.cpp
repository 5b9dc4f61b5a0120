#include "repl/terminal/inline_panel.h"

#include <algorithm>

#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::terminal {

namespace {

std::string up(int rows) { return rows > 0 ? "\x1b[" + std::to_string(rows) + "A" : ""; }

}  // namespace

// A window that became narrower has wrapped the lines.
std::string InlinePanel::to_first_line() const {
  const int columns = std::max(1, terminal_.size().columns);
  int rows = 0;
  for (int i = 0; i < row_ && i < static_cast<int>(widths_.size()); ++i)
    rows += std::max(1, (widths_[static_cast<std::size_t>(i)] + columns - 1) / columns);
  return up(rows) + "\r";
}

void InlinePanel::show(const std::vector<Line>& lines, Caret cursor) {
  const auto columns = static_cast<std::size_t>(std::max(2, terminal_.size().columns) - 1);
  std::string out = "\x1b[?25l" + to_first_line();
  widths_.clear();
  for (const Line& line : lines) {
    const std::string text = layout::fit(layout::sanitized_row(line.text), columns);
    if (!widths_.empty()) out += "\r\n";
    if (line.style != Line::Style::plain)
      out += line.style == Line::Style::dim ? "\x1b[2m" : "\x1b[1m";
    out += text;
    if (line.style != Line::Style::plain) out += "\x1b[0m";
    out += "\x1b[K";
    widths_.push_back(static_cast<int>(layout::display_width(text)));
  }
  out += "\x1b[J";
  row_ = cursor.row;
  out += up(static_cast<int>(lines.size()) - 1 - cursor.row);
  const int column = std::min(cursor.column, static_cast<int>(columns));
  out += "\x1b[" + std::to_string(column + 1) + "G\x1b[?25h";
  terminal_.write(out);
}

void InlinePanel::erase() {
  if (widths_.empty()) return;
  terminal_.write(to_first_line() + "\x1b[J");
  widths_.clear();
  row_ = 0;
}

void InlinePanel::suspend() {
  erase();
  terminal_.suspend();
}

}  // namespace skein::terminal
