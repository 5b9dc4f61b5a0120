// Drawing at the cursor: a text of several lines at the prompt, and lists that are removed again.
#pragma once

#include "core/text/std.h"

#include "repl/layout/width.h"
#include "repl/terminal/terminal.h"

namespace skein::terminal {

using layout::Caret;

// A text of several lines as one long line: every newline becomes spaces up to the end of the row.
// That is the only kind replxx can draw and count.
struct LineLayout {
  std::string shown{};     // sanitized, without tabs and newlines
  std::size_t cursor = 0;  // in bytes of `shown`
  Caret caret{}, end{};    // where the cursor and the end of the text are, from the prompt on
  bool operator==(const LineLayout&) const = default;
};

LineLayout lay_out(std::string_view text, std::size_t cursor, std::size_t prompt_columns,
                   std::size_t screen_columns);

// The rows of a layout; the first begins behind the prompt.
std::vector<std::string> rows_of(const LineLayout& layout, std::size_t prompt_columns,
                                 std::size_t screen_columns);

// At most `most` rows of it around the cursor, for a text that is taller than its place. A row of
// its own says how much there is above, another how much below.
LineLayout around_cursor(const LineLayout& layout, std::size_t prompt_columns,
                         std::size_t screen_columns, std::size_t most);

// Stays in the normal screen and touches nothing above.
class InlinePanel {
 public:
  struct Line {
    // drawn: the text is safe, has styles, and is narrower than the window.
    enum class Style { plain, dim, chosen, drawn } style = Style::plain;
    std::string text{};  // else untrusted; sanitized and cut to the width here
  };

  // The cursor must be at the start of an empty line, and returns there afterwards.
  explicit InlinePanel(Terminal& terminal) : terminal_(terminal) {}
  ~InlinePanel() { erase(); }
  InlinePanel(const InlinePanel&) = delete;
  InlinePanel& operator=(const InlinePanel&) = delete;

  // Replaces what was shown before and leaves the cursor at `cursor`.
  void show(const std::vector<Line>& lines, Caret cursor);
  void erase();
  // Ctrl+Z: nothing of it stays on the screen; to be shown again afterwards.
  void suspend();

 private:
  std::string to_first_line() const;

  Terminal& terminal_;
  std::vector<std::size_t> widths_{};  // of the lines shown
  std::size_t row_ = 0;                // the cursor's
};

}  // namespace skein::terminal
