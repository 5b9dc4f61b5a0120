// Makes untrusted text safe for a terminal: every character that could control it, hide something
// or change the reading direction is made visible. All untrusted text passes through here first.
#pragma once

#include "core/text/std.h"

namespace skein::layout {

// Newline and tab stay, CR LF becomes a newline, malformed UTF-8 becomes U+FFFD, and of the marks
// piled on one character those beyond the eighth are spelled out.
std::string sanitized(std::string_view text);
// The same on one row: newlines and tabs become blanks.
std::string sanitized_row(std::string_view text);

// The same for text that arrives in pieces, however it is cut.
class Sanitizer {
 public:
  void feed(std::string_view piece, std::string& out);
  void end(std::string& out);

 private:
  std::size_t pass(std::string_view text, bool last, std::string& out);

  std::string held_{};  // the start of a character, or a CR
  unsigned marks_ = 0;  // combining marks since the last character that is none
};

}  // namespace skein::layout
