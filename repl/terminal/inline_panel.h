// A few lines drawn at the cursor and removed again, such as lists to choose from. Stays in the
// normal screen and touches nothing above.
#pragma once

#include <string>
#include <vector>

#include "repl/terminal/line_layout.h"
#include "repl/terminal/terminal.h"

namespace skein::terminal {

class InlinePanel {
 public:
  struct Line {
    enum class Style { plain, dim, chosen } style = Style::plain;
    std::string text{};  // untrusted; sanitized and cut to the width here
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
  std::vector<int> widths_{};  // of the lines shown
  int row_ = 0;                // the cursor's
};

}  // namespace skein::terminal
