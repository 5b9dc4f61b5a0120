// Buffers everything that is shown: text is written once, in few writes, and followed by a status
// of a few rows that is repainted. Also the last safeguard: escape sequences that are not ours do
// not pass.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "repl/layout/style.h"

namespace skein::screen {

namespace style = layout::style;
using layout::painted, layout::Style, layout::TerminalStyle;

class TerminalOutput {
 public:
  struct Port {
    std::function<void(std::string_view)> write;
    std::function<std::int64_t()> clock;  // milliseconds
    std::function<std::size_t()> width;   // current columns; 0: not a terminal
  };
  TerminalOutput(Port port, TerminalStyle look) : port_(std::move(port)), look_(look) {}

  void add(std::string_view bytes);
  bool at_line_start() const { return at_line_start_; }
  std::size_t width() const { return look_.live ? port_.width() : 0; }
  std::int64_t now() const { return port_.clock(); }

  // Sets the status below the text: rows without styles; empty: none. Painted with the next write.
  // Where rows cannot be taken back it is one.
  void set_status(std::string rows) { status_ = std::move(rows); }

  void flush();
  // Writes at most 60 times a second at a terminal, immediately elsewhere.
  void flush_if_due();

 private:
  std::string erased() const;
  std::string painted_status();
  std::size_t column() const;

  Port port_;
  TerminalStyle look_;
  std::string pending_{};
  std::string row_{};  // of the text, since its last line end; at a terminal
  bool at_line_start_ = true;
  std::string status_{};
  std::string on_screen_{};  // the status as it was last painted
  bool below_ = false;       // it is on its own line below an unfinished line
  std::int64_t last_write_ = -1000;
};

// `bytes` with every control sequence that is not ours made visible.
std::string gated(std::string_view bytes);

// Writes everything to a slow file descriptor; gives up when the reader is gone.
void write_all(int fd, std::string_view bytes);

}  // namespace skein::screen
