// Light colours for code, a line at a time: comments, strings, numbers, keywords, and diffs. Driven
// by a table, not by a grammar, so it may err; it changes colours only, never a character.
#pragma once

#include "core/text/std.h"

#include "repl/layout/style.h"

namespace skein::screen::markdown {

namespace style = layout::style;
using layout::painted, layout::Style, layout::TerminalStyle;

struct Language;  // a row of the table in highlight.cpp

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

// A line of `code`, already painted, behind `first`: rows of at most `width` columns (0:
// unlimited); a row that continues it begins with ↪ below the code.
void add_code_rows(std::vector<std::string>& rows, std::string_view first, std::string code,
                   std::size_t width);
// Lines of code in rows of at most `width` columns; a row that continues a line begins with ↪.
std::vector<std::string> code_rows(std::string_view safe, std::string_view fence_info,
                                   std::size_t width, const TerminalStyle& look);
// A unified diff in such rows, each line with its number; without its heads.
std::vector<std::string> diff_rows(std::string_view safe, std::size_t width,
                                   const TerminalStyle& look);
// How many lines a unified diff adds and removes.
struct DiffCounts {
  std::size_t added = 0, removed = 0;
};
DiffCounts counts_of_diff(std::string_view diff);

// A line of a unified diff, by its first character.
Style style_of_diff_line(std::string_view line);
// A whole text; every line of a diff in its colour.
std::string painted_diff(std::string_view safe, const TerminalStyle& look);

}  // namespace skein::screen::markdown
