// Words that flow into lines. On a terminal a line breaks between words, with the indent of its
// block; elsewhere it never breaks. Nothing it has given out is taken back.
#pragma once

#include <string>
#include <string_view>

#include "repl/layout/style.h"

namespace skein::layout {

class Flow {
 public:
  // What becomes of a word that is longer than a row: the terminal breaks it, or we do.
  enum class LongWords { left, broken };
  // `width` columns; 0: lines are endless.
  explicit Flow(TerminalStyle look, std::size_t width = 0, LongWords long_words = LongWords::left)
      : look_(look), width_(width), long_words_(long_words) {}
  void set_width(std::size_t width) { width_ = width; }

  // A block's line begins: what stands before its first row and before the others.
  void begin(std::string_view first, std::string_view others);
  // Words and spaces. A word is held until a space or the line's end says that it is whole.
  void add(std::string_view text, Style style);
  void close();                                // back to plain: the end of a span
  void add_unseen(std::string_view sequence);  // takes no columns: the ends of a link
  void end_line();
  // Whole lines that are never broken: code, tables.
  void lines(std::string_view bytes) { out_ += bytes; }
  // Somebody else has begun a new line in the middle of ours.
  void interrupted() { column_ = 0; }
  // The part of a word that is held. What follows of it is not broken off.
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

// Lines that are too long for `width` columns broken between words, what follows indented as they
// are. 0, and lines with styles in them: as they are.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace skein::layout
