// The thinking of a model as it arrives, made safe for the screen.
#pragma once

#include "core/text/std.h"

#include "repl/layout/flow.h"
#include "repl/layout/sanitize.h"

namespace skein::screen {

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
