// Buffers everything that is shown: text is written once, in few writes, and followed by a few rows
// that are repainted. Also the last safeguard: no escape sequence but skein's own passes.
#pragma once

#include "core/text/std.h"

#include "repl/layout/style.h"
#include "repl/layout/width.h"

namespace skein::screen {

namespace style = layout::style;
using layout::painted, layout::Style, layout::TerminalStyle;

// The rows below the text while a turn runs: what happens, what a command has printed last, the
// lines that wait and the line being typed.
// One row; both texts are safe, and cut where the window ends.
struct LiveRow {
  std::string text{};
  layout::Style style{};
  std::string aside{};  // shown dim behind it
  bool operator==(const LiveRow&) const = default;
};

struct LiveRegion {
  std::vector<LiveRow> rows{};
  std::optional<layout::Caret> caret{};  // where the cursor is left; none: behind the last row
  bool operator==(const LiveRegion&) const = default;
};

// The rows of the user's own part of it, the cursor in them.
struct LiveInput {
  LiveRegion region{};
  bool used = false;  // something was typed or waits: it stays visible while text streams
  bool operator==(const LiveInput&) const = default;
};

class TerminalOutput {
 public:
  struct Port {
    std::function<void(std::string_view)> write;
    std::function<std::int64_t()> clock;  // milliseconds
    std::function<std::size_t()> width;   // current columns; 0: not a terminal
    std::function<std::size_t()> height = [] { return std::size_t{24}; };
  };
  TerminalOutput(Port port, TerminalStyle look) : port_(std::move(port)), look_(look) {}

  void add(std::string_view bytes);
  bool at_line_start() const { return at_line_start_; }
  // Whether anything was added since this was last asked.
  bool take_added() { return std::exchange(added_, false); }
  std::size_t width() const { return look_.live ? port_.width() : 0; }
  std::size_t height() const { return port_.height(); }
  std::int64_t now() const { return port_.clock(); }

  // The rows below the text; none: nothing is shown. Painted with the next write.
  void set_live(LiveRegion region) { live_ = std::move(region); }

  // From here on nothing is written, until what was added is taken away. Begins a line.
  void hold() {
    flush();
    held_ = true;
  }
  std::string take_held() {
    held_ = false;
    at_line_start_ = true;
    return std::exchange(pending_, {});
  }

  void flush();
  // Writes at most 60 times a second at a terminal, immediately elsewhere.
  void flush_if_due();

 private:
  std::string erased() const;
  std::string painted_live();
  std::size_t column() const;

  Port port_;
  TerminalStyle look_;
  std::string pending_{};
  std::string row_{};  // of the text, since its last line end; at a terminal
  bool at_line_start_ = true;
  bool added_ = false;
  bool held_ = false;
  LiveRegion live_{};
  LiveRegion on_screen_{};             // as it was last painted
  std::vector<std::size_t> widths_{};  // of its rows
  bool below_ = false;                 // it begins below an unfinished line
  std::int64_t last_write_ = -1000;
};

// `bytes` with every control sequence that is not ours made visible.
std::string gated(std::string_view bytes);

// Writes everything to a slow file descriptor; gives up when the reader is gone.
void write_all(int fd, std::string_view bytes);

}  // namespace skein::screen
