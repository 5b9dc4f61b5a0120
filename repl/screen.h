// What the user sees of a turn: one sink for everything, and the only file that may write ESC.
#pragma once

#include <string>
#include <string_view>

#include "core/event.h"

namespace skein {

class Screen {
 public:
  explicit Screen(int fd) : fd_(fd) {}

  // Our own words, already safe.
  void print(std::string_view text);
  // Anybody else's: model text, tool output, names, errors. Control characters come out visible.
  void print_untrusted(std::string_view text);
  void show(const Event& event);
  // A saved entry, as it looked when it happened.
  void replay(const Entry& entry);
  void start_line();  // if we are not at the start of one

 private:
  void write_all(std::string_view bytes);
  int fd_;
  bool at_line_start_ = true;
};

// `text` with every character that could drive a terminal replaced by a visible one; newline and
// tab stay. Malformed UTF-8 becomes U+FFFD.
std::string harmless(std::string_view text);

}  // namespace skein
