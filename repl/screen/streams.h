// The answer and the thinking of a model as they arrive, made safe for the screen.
#pragma once

#include <string>
#include <string_view>

#include "repl/layout/flow.h"
#include "repl/layout/sanitize.h"
#include "repl/screen/markdown/markdown.h"

namespace skein::screen {

// The text of an answer, laid out as Markdown.
class TextStream {
 public:
  explicit TextStream(layout::TerminalStyle look) : look_(look), markdown_(look) {}

  bool begun() const { return begun_; }
  // What can be shown of it on a screen of that width (0: unlimited). A word that may go on waits.
  std::string add(std::string_view untrusted, std::size_t width);
  // After a silence: the word that waits.
  std::string pause() { return begun_ ? markdown_.pause() : ""; }
  // Another writer is about to begin a new line.
  std::string interrupt() { return begun_ ? markdown_.interrupt() : ""; }
  std::string end();  // the rest, and the end of its line

 private:
  layout::TerminalStyle look_;
  layout::Sanitizer sanitizer_{};
  markdown::Markdown markdown_;
  bool begun_ = false;
};

// Thinking: in words that flow where all of it is shown, else as the one row that it has come to.
class ThinkingStream {
 public:
  explicit ThinkingStream(layout::TerminalStyle look) : look_(look), flow_(look) {}

  void add(std::string_view untrusted) { text_ += untrusted; }
  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }
  bool begun() const { return shown_ > 0; }  // some of it has been shown as it came

  // What is new, for a screen of that width (0: unlimited). A word that may be incomplete waits.
  std::string flow(std::size_t width);
  std::string pause();      // after a silence: the word that waits
  std::string interrupt();  // another writer is about to begin a new line
  // The rest of what has begun, and the end of its line. Then it is over.
  std::string end(std::size_t width);
  void clear();

  // Where it is now: the last row of it, safe.
  std::string latest(std::size_t width) const;

 private:
  void add_safe(std::string_view safe);

  layout::TerminalStyle look_;
  layout::Flow flow_;
  layout::Sanitizer sanitizer_{};
  std::string text_{};
  std::size_t shown_ = 0;     // bytes of it
  std::size_t newlines_ = 0;  // seen, and due before the next word
};

}  // namespace skein::screen
