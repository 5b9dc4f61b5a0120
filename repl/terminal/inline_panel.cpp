#include "repl/terminal/inline_panel.h"

#include "core/text/std.h"

#include "repl/layout/sanitize.h"
#include "repl/layout/style.h"
#include "repl/layout/width.h"

namespace skein::terminal {

using layout::left_of;

namespace {

std::string up(std::size_t rows) { return rows > 0 ? "\x1b[" + std::to_string(rows) + "A" : ""; }

}  // namespace

LineLayout lay_out(std::string_view text, std::size_t cursor, std::size_t prompt_columns,
                   std::size_t screen_columns) {
  const std::size_t width = std::max<std::size_t>(2, screen_columns);
  LineLayout out{.caret = {0, prompt_columns}, .end = {0, prompt_columns}};
  Caret& at = out.end;
  bool row_is_full = false;  // the last character filled it: a newline has nothing left to fill
  const auto put = [&](std::string_view piece, std::size_t columns) {
    out.shown += piece;
    at.column += columns;
    row_is_full = at.column >= width;
    at.row += at.column / width;
    at.column %= width;
  };
  const auto fill = [&](std::size_t columns) { put(std::string(columns, ' '), columns); };
  const auto fill_row = [&] { fill(left_of(width, at.column)); };
  for (std::size_t i = 0; i < text.size();) {
    if (i == cursor) out.cursor = out.shown.size(), out.caret = at;
    if (text[i] == '\n') {
      if (!row_is_full) fill_row();
      row_is_full = false;
      ++i;
    } else if (text[i] == '\t') {
      fill(8 - at.column % 8);
      ++i;
    } else {
      const layout::Grapheme grapheme = layout::first_grapheme(text.substr(i));
      const std::string piece = layout::sanitized(text.substr(i, grapheme.bytes));
      const std::size_t columns = layout::display_width(piece);
      if (columns <= width && at.column + columns > width) fill_row();
      put(piece, columns);
      i += grapheme.bytes;
    }
  }
  if (cursor >= text.size()) out.cursor = out.shown.size(), out.caret = at;
  return out;
}

std::vector<std::string> rows_of(const LineLayout& layout, std::size_t prompt_columns,
                                 std::size_t screen_columns) {
  const std::size_t width = std::max<std::size_t>(2, screen_columns);
  std::vector<std::string> rows(1);
  std::size_t column = prompt_columns;
  const auto next_row = [&] {
    rows.emplace_back();
    column = 0;
  };
  for (std::string_view rest = layout.shown; !rest.empty();) {
    const layout::Grapheme grapheme = layout::first_grapheme(rest);
    if (column >= width) next_row();
    rows.back() += rest.substr(0, grapheme.bytes);
    column += grapheme.columns;
    rest.remove_prefix(grapheme.bytes);
  }
  if (column >= width) next_row();  // the cursor behind a full row is on the next one
  return rows;
}

LineLayout around_cursor(const LineLayout& layout, std::size_t prompt_columns,
                         std::size_t screen_columns, std::size_t most) {
  if (layout.end.row < most) return layout;
  const std::size_t width = std::max<std::size_t>(2, screen_columns);
  std::vector<std::string> rows = rows_of(layout, prompt_columns, screen_columns);
  most = std::clamp<std::size_t>(most, 1, rows.size());
  const std::size_t first = std::min(left_of(layout.caret.row, most / 2), rows.size() - most);
  const auto say = [&](std::size_t at, std::size_t left_out, const char* where,
                       std::size_t columns) {
    rows[at] = layout::padded(
        layout::fit("… " + std::to_string(left_out) + " more " + where, columns), columns);
  };
  std::size_t before_cursor = layout.cursor;  // bytes of its row
  for (std::size_t i = 0; i < layout.caret.row; ++i) before_cursor -= rows[i].size();
  const std::size_t below = rows.size() - first - most;
  LineLayout out{.caret = {layout.caret.row - first, layout.caret.column},
                 .end = {most - 1, below > 0 ? width - 1 : layout.end.column}};
  if (first > 0 && layout.caret.row > first)
    say(first, first + 1, "above", left_of(width, prompt_columns));
  else if (first > 0)  // one row only: behind the prompt there is less room
    rows[first] = layout::fit(rows[first], left_of(width, prompt_columns + 1));
  if (below > 0 && layout.caret.row < first + most - 1)
    say(first + most - 1, below + 1, "below", width - 1);
  for (std::size_t i = first; i < first + most; ++i) {
    if (i == layout.caret.row) out.cursor = out.shown.size() + before_cursor;
    out.shown += rows[i];
  }
  return out;
}

// A window that became narrower has wrapped the lines.
std::string InlinePanel::to_first_line() const {
  const std::size_t columns = terminal_.size().columns;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < std::min(row_, widths_.size()); ++i)
    rows += layout::rows_taken(widths_[i], columns);
  return up(rows) + "\r";
}

void InlinePanel::show(const std::vector<Line>& lines, Caret cursor) {
  const std::size_t columns = std::max<std::size_t>(2, terminal_.size().columns) - 1;
  std::string out = "\x1b[?25l" + to_first_line();
  widths_.clear();
  for (const Line& line : lines) {
    const bool drawn = line.style == Line::Style::drawn;
    const std::string text =
        drawn ? line.text : layout::fit(layout::sanitized_row(line.text), columns);
    if (!widths_.empty()) out += "\r\n";
    if (line.style == Line::Style::dim) out += "\x1b[2m";
    if (line.style == Line::Style::chosen) out += "\x1b[1m";
    out += text;
    if (line.style != Line::Style::plain) out += "\x1b[0m";
    out += "\x1b[K";
    widths_.push_back(layout::display_width(drawn ? layout::without_styles(text) : text));
  }
  out += "\x1b[J";
  row_ = cursor.row;
  out += up(left_of(lines.size(), cursor.row + 1));
  out += "\x1b[" + std::to_string(std::min(cursor.column, columns) + 1) + "G\x1b[?25h";
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
