// What the user sees of a turn: one sink for everything, and the only file that may write ESC.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/event.h"
#include "repl/harmless.h"

namespace skein {

class Screen {
 public:
  explicit Screen(int fd);

  // Our own words, already safe.
  void print(std::string_view text);
  // Anybody else's: model text, tool output, names, errors. Control characters come out visible.
  void print_untrusted(std::string_view text);
  void start_line();  // if we are not at the start of one
  void flush();       // what was said so far is on the screen now

  void show(const Event& event);
  // A saved entry, as it looked when it happened.
  void replay(const Entry& entry);
  // The turn is over: how it ended.
  void end_turn(Stop stop, std::string_view error);
  // Prints in full what was last folded: a tool's result, thinking.
  void expand_last();

  // While a turn runs, about ten times a second: moves the one live line on.
  void tick();
  // What the user has typed meanwhile, shown at the end of the live line.
  void set_draft(std::string_view text);

 private:
  void write_all(std::string_view bytes);
  void erase_status();
  int fd_;
  bool live_;
  bool at_line_start_ = true;
  bool status_shown_ = false;
  unsigned ticks_ = 0;
  std::optional<std::chrono::steady_clock::time_point> turn_start_{};
  std::string draft_{};
  std::string folded_{};
};

}  // namespace skein
