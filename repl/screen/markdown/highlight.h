// Light colours for code, a line at a time: comments, strings, numbers, keywords, and diffs. Told
// by a table, not by a grammar, so it may err; it changes colours only, never a character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/layout/style.h"
#include "repl/screen/markdown/languages.h"

namespace skein::screen::markdown {

namespace style = layout::style;
using layout::painted, layout::Style, layout::TerminalStyle;

class Highlighter {
 public:
  Highlighter() = default;                            // knows no language
  explicit Highlighter(std::string_view fence_info);  // "cpp", "python title=x", "diff"

  // The next line, or part of one, without its line end.
  std::string line(std::string_view safe, const TerminalStyle& look);

 private:
  struct Piece;
  Piece first_piece(std::string_view text, std::string_view before);
  Piece rest_of_long(std::string_view text);
  bool is_keyword(std::string_view word) const;

  const Language* language_ = nullptr;
  bool diff_ = false;
  std::vector<std::string_view> keywords_{};  // sorted
  std::string_view open_{};                   // what ends the comment or string we are in
};

// A line of a unified diff, by its first character.
Style style_of_diff_line(std::string_view line);
// A whole text; every line of a diff in its colour.
std::string painted_diff(std::string_view safe, const TerminalStyle& look);

}  // namespace skein::screen::markdown
