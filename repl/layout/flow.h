// Words that flow into lines. On a terminal a line breaks between words, with the indent of its
// block; elsewhere it never breaks. Output is never taken back.
#pragma once

#include "core/text/std.h"

#include "repl/layout/style.h"

namespace skein::layout {

class Flow {
 public:
  // Who breaks a word that is longer than a row: the terminal, or we.
  enum class LongWords { left, broken };
  // `width` in columns; 0: unlimited.
  explicit Flow(TerminalStyle look, std::size_t width = 0, LongWords long_words = LongWords::left)
      : look_(look), width_(width), long_words_(long_words) {}
  void set_width(std::size_t width) { width_ = width; }

  // Begins a line of a block, with a prefix for its first row and one for the others.
  void begin(std::string_view first, std::string_view others);
  // Words and spaces. A word is held back until a space or the end of the line completes it.
  void add(std::string_view text, Style style);
  void close();                                // back to plain: the end of a span
  void add_unseen(std::string_view sequence);  // takes no columns: the ends of a link
  void end_line();
  // Whole lines that are never broken: code, tables.
  void lines(std::string_view bytes) { out_ += bytes; }
  // Another writer has begun a new line in the middle of ours.
  void interrupted() { column_ = 0; }
  // Writes the part of a word that is held back. The rest of it stays on the same row.
  void let_go();

  std::string take();

 private:
  void append(std::string_view letters, Style style);
  void switch_to(Style style, std::string& where);
  void place();
  void place_broken();
  void next_row(std::string_view style);

  TerminalStyle look_;
  std::size_t width_;
  LongWords long_words_;
  std::string out_{};
  std::string others_{};
  std::size_t column_ = 0, indent_ = 0;
  std::size_t spaces_ = 0;        // seen, and due before the next word
  std::string word_{}, plain_{};  // with its styles; without
  bool broken_ = false;           // the start of this word is out already
  bool wide_before_ = false;
  Style style_{};       // at the end of what was added
  Style word_style_{};  // at the start of the word
};

// `text` with each of its lines in the form that `shown` gives it; the ends of lines stay.
template <class Shown>
std::string by_line(std::string_view text, const Shown& shown) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += shown(text.substr(0, end));
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Breaks lines that are too long for `width` columns between words and keeps their indent, or that
// of the second column behind a name and two blanks. With width 0, and for lines that contain
// styles, nothing changes.
std::string wrapped(std::string_view text, std::size_t width);
// The same, but "a b · c d" breaks only behind a "·".
std::string wrapped_by_parts(std::string_view line, std::size_t width);
// One line in pieces of at most `width` columns, between words where that is possible; all of its
// characters are in them. Tabs become blanks before.
std::vector<std::string_view> pieces_of(std::string_view line, std::size_t width);
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> pieces_of(Temporary&& line,
                                        std::size_t width) = delete;  // nothing would last
// Text that begins at `column` and stays behind it on the rows that follow.
std::string hanging(std::string_view text, std::size_t column, std::size_t width);

// Text that was drawn for a terminal, by its rows: whole lines, with their styles.
// How many rows it takes; `width` 0: one for each line.
std::size_t rows_of(std::string_view drawn, std::size_t width);

// What is left of it in so many rows, at least a line.
struct Cut {
  std::string_view text{};
  std::size_t lines_out = 0;
};
Cut first_rows(std::string_view drawn, std::size_t rows, std::size_t width);
Cut last_rows(std::string_view drawn, std::size_t rows, std::size_t width);

}  // namespace skein::layout
