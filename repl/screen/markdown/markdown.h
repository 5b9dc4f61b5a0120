// Markdown as it streams in, made readable on a terminal: prose word by word, code line by line,
// only a table waits for its end. Code is indented instead of fenced, and its long lines are
// broken. Nothing is ever repainted, and how the text is split into pieces makes no difference.
// Without styles the Markdown source itself is shown, except to a screen reader, which gets the
// text without marks.
#pragma once

#include "core/text/std.h"

#include "repl/layout/flow.h"
#include "repl/layout/sanitize.h"
#include "repl/screen/markdown/highlight.h"
#include "repl/screen/markdown/line.h"

namespace skein::screen::markdown {

class Markdown {
 public:
  // `width` in columns for prose and tables; 0: unlimited.
  explicit Markdown(TerminalStyle look, std::size_t width = 0)
      : look_(look), width_(width), flow_(look, width) {}
  void set_width(std::size_t width);

  bool begun() const { return begun_; }
  // What can be shown of it. A word that may go on waits.
  std::string feed(std::string_view untrusted);
  // Ends the text: writes what was held back and a newline. Ready for another text.
  std::string end();
  // After a pause: writes a word that was held back, so that everything received can be read.
  std::string pause();
  // Another writer is about to begin a new line in the middle of a paragraph.
  std::string interrupt();

 private:
  enum class Phase { start, flowing, holding };  // of the incoming line

  void take_in(std::string_view safe);
  void advance(bool whole);
  void begin(const MarkdownLine& line);
  void flow_spans(bool whole);
  void finish_line();
  void finish_held();
  void begin_code();
  void code_line();
  void show_code(std::string_view first, std::string code);
  void show_table();
  void show_as_prose(const MarkdownLine& line, std::string_view content,
                     Style style = style::plain);
  void show_blank_lines();

  TerminalStyle look_;
  std::size_t width_;
  layout::Flow flow_;
  layout::Sanitizer sanitizer_{};
  bool begun_ = false;
  std::string line_{};  // the part of it not yet shown
  Phase phase_ = Phase::start;
  MarkdownLine shape_{};
  char before_ = 0;        // the character before line_
  std::size_t blank_ = 0;  // lines, due before the next thing that shows
  bool any_ = false;       // something has been shown
  bool in_list_ = false;
  bool in_code_ = false;
  bool mid_code_line_ = false;
  MarkdownLine fence_{};
  std::string language_{};  // to be shown with the first line of the code
  Highlighter colours_{};
  std::vector<std::string> rows_{};  // of a table, or of what may be one
  std::size_t row_bytes_ = 0;
  MarkdownLine row_shape_{};
};

}  // namespace skein::screen::markdown
