// A few lines drawn at the cursor and taken away again: lists to choose from. Stays in the normal
// screen and touches nothing above.
#pragma once

#include <string>
#include <vector>

#include "repl/input/line_layout.h"
#include "repl/input/terminal.h"

namespace skein {

class Drawing {
 public:
  struct Line {
    enum class Style { plain, dim, chosen } style = Style::plain;
    std::string text{};  // anybody's; made harmless and cut to the width here
  };

  // The cursor stands at the start of an empty line, and is there again afterwards.
  explicit Drawing(Terminal& terminal) : terminal_(terminal) {}
  ~Drawing() { erase(); }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;

  // In the place of what was shown before. The cursor rests at `cursor`.
  void show(const std::vector<Line>& lines, Caret cursor);
  void erase();

 private:
  std::string to_first_line() const;

  Terminal& terminal_;
  std::vector<int> widths_{};  // of the lines shown
  int row_ = 0;                // the cursor's
};

}  // namespace skein
