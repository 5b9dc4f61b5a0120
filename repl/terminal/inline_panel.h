// A few lines drawn at the cursor and taken away again: lists to choose from. Stays in the normal
// screen and touches nothing above.
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
    std::string text{};  // anybody's; made harmless and cut to the width here
  };

  // The cursor stands at the start of an empty line, and is there again afterwards.
  explicit InlinePanel(Terminal& terminal) : terminal_(terminal) {}
  ~InlinePanel() { erase(); }
  InlinePanel(const InlinePanel&) = delete;
  InlinePanel& operator=(const InlinePanel&) = delete;

  // In the place of what was shown before. The cursor rests at `cursor`.
  void show(const std::vector<Line>& lines, Caret cursor);
  void erase();

 private:
  std::string to_first_line() const;

  Terminal& terminal_;
  std::vector<int> widths_{};  // of the lines shown
  int row_ = 0;                // the cursor's
};

}  // namespace skein::terminal
