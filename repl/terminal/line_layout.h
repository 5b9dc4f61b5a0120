// Lays out a text of several lines as one long line: every newline becomes spaces up to the end of
// the row. That is the only kind replxx can draw and count.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skein::terminal {

struct Caret {
  int row = 0, column = 0;
  bool operator==(const Caret&) const = default;
};

struct LineLayout {
  std::string shown{};     // sanitized, without tabs and newlines
  std::size_t cursor = 0;  // in bytes of `shown`
  Caret caret{}, end{};    // where the cursor and the end of the text are, from the prompt on
  bool operator==(const LineLayout&) const = default;
};

LineLayout lay_out(std::string_view text, std::size_t cursor, int prompt_columns,
                   int screen_columns);

// The rows of a layout; the first begins behind the prompt.
std::vector<std::string> rows_of(const LineLayout& layout, int prompt_columns, int screen_columns);

// At most `most` rows of it around the cursor, for a text that is taller than its place. A row of
// its own says how much there is above, another how much below.
LineLayout around_cursor(const LineLayout& layout, int prompt_columns, int screen_columns,
                         int most);

}  // namespace skein::terminal
