// The text of an answer as it arrives: made safe, laid out as Markdown.
#pragma once

#include <string>
#include <string_view>

#include "repl/layout/sanitize.h"
#include "repl/screen/markdown/markdown.h"

namespace skein::screen {

class TextStream {
 public:
  explicit TextStream(layout::TerminalStyle look) : look_(look), markdown_(look) {}

  bool begun() const { return begun_; }
  // What can be shown of it on a screen of that width (0: unlimited). A word that may go on waits.
  std::string add(std::string_view untrusted, std::size_t width);
  std::string pause();      // after a silence: the word that waits
  std::string interrupt();  // another writer is about to begin a new line
  std::string end();        // the rest, and the end of its line

 private:
  layout::TerminalStyle look_;
  layout::Sanitizer sanitizer_{};
  markdown::Markdown markdown_;
  bool begun_ = false;
};

}  // namespace skein::screen
