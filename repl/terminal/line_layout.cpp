#include "repl/terminal/line_layout.h"

#include <algorithm>

#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::terminal {

LineLayout lay_out(std::string_view text, std::size_t cursor, int prompt_columns,
                   int screen_columns) {
  const int width = std::max(2, screen_columns);
  LineLayout out{.caret = {0, prompt_columns}, .end = {0, prompt_columns}};
  Caret& at = out.end;
  bool row_is_full = false;  // the last character filled it: a newline has nothing left to fill
  const auto put = [&](std::string_view piece, int columns) {
    out.shown += piece;
    at.column += columns;
    row_is_full = at.column >= width;
    at.row += at.column / width;
    at.column %= width;
  };
  const auto fill = [&](int columns) {
    put(std::string(static_cast<std::size_t>(columns), ' '), columns);
  };
  for (std::size_t i = 0; i < text.size();) {
    if (i == cursor) out.cursor = out.shown.size(), out.caret = at;
    if (text[i] == '\n') {
      if (!row_is_full) fill(width - at.column);
      row_is_full = false;
      ++i;
    } else if (text[i] == '\t') {
      fill(8 - at.column % 8);
      ++i;
    } else {
      const layout::Grapheme grapheme = layout::first_grapheme(text.substr(i));
      const std::string piece = layout::sanitized(text.substr(i, grapheme.bytes));
      const int columns = static_cast<int>(layout::display_width(piece));
      if (columns <= width && at.column + columns > width) fill(width - at.column);
      put(piece, columns);
      i += grapheme.bytes;
    }
  }
  if (cursor >= text.size()) out.cursor = out.shown.size(), out.caret = at;
  return out;
}

}  // namespace skein::terminal
