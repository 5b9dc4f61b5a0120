// The paper under everything that is shown: what is written stays, goes out in few writes, and at
// its end at most one line is painted over again and again. Also the last gate: an escape sequence
// that is not one of ours does not pass, whoever let it in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "repl/layout/style.h"

namespace skein::screen {

class TerminalOutput {
 public:
  struct Port {
    std::function<void(std::string_view)> write;
    std::function<std::int64_t()> clock;  // milliseconds
    std::function<std::size_t()> width;   // columns now; 0: it is no terminal
  };
  TerminalOutput(Port port, layout::TerminalStyle look) : port_(std::move(port)), look_(look) {}

  void add(std::string_view bytes);
  bool at_line_start() const { return at_line_start_; }
  std::size_t width() const { return look_.live ? port_.width() : 0; }
  std::int64_t now() const { return port_.clock(); }

  // The line to keep under the text, one row, no styles; empty: none. Painted with the next write.
  void set_status(std::string line) { status_ = std::move(line); }

  void flush();
  // At a terminal at most 60 times a second, everywhere else at once.
  void flush_if_due();

 private:
  std::string erased() const;
  std::string painted_status();
  std::size_t column() const;

  Port port_;
  layout::TerminalStyle look_;
  std::string pending_{};
  std::string row_{};  // of the text, since its last line end; at a terminal
  bool at_line_start_ = true;
  std::string status_{};
  std::string on_screen_{};  // the status as it was last painted
  bool below_ = false;       // it stands on a line of its own under a line that is not finished
  std::int64_t last_write_ = -1000;
};

// `bytes` with everything made visible that could drive a terminal and is not ours.
std::string gated(std::string_view bytes);

// Writes all of it to a file descriptor, however slowly it takes it; gives up when nobody reads.
void write_all(int fd, std::string_view bytes);

}  // namespace skein::screen
