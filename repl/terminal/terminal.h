// The terminal a person sits at: its modes, its size, waiting for its keys, and the way back to how
// it was found, which works from a signal handler too.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/wait.h"

namespace skein::terminal {

class Terminal {
 public:
  struct Size {
    int columns = 80, rows = 24;
    bool operator==(const Size&) const = default;
  };
  // found: as it was when we came; editing: every key is a byte for us; turn: the same, but ^C is a
  // signal, so that it is heard however busy we are.
  enum class Mode { found, editing, turn };

  // One at a time. Looks at the modes, changes nothing, and sees to it that a death by a signal
  // that is our own fault (SIGSEGV, SIGABRT …) leaves the terminal as it was found.
  Terminal(int in, int out);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int in() const { return in_; }
  Mode mode() const { return mode_; }
  void set(Mode mode);
  Size size() const;

  // As skein::wait; a window that got another size is due too.
  Wake wait(std::optional<std::chrono::milliseconds> pause,
            const std::function<bool()>& due = {}) const;
  // The bytes there are; empty at a hang-up.
  std::string read();
  // Bytes that were typed before the mode was set and are not read yet; no poll tells of them.
  bool has_early_input() const { return !early_.empty(); }
  void write(std::string_view bytes) const;
  // True once for every time the window got another size.
  bool take_resize() const;
  // Stops the process group as ^Z does, and comes back when it is continued.
  void suspend();

 private:
  void take_early_input();

  int in_, out_;
  Mode mode_ = Mode::found;
  std::string early_{};
};

// For the time of something that needs another mode: a child that wants the terminal, a turn.
class TerminalMode {
 public:
  TerminalMode(Terminal& terminal, Terminal::Mode mode)
      : terminal_(terminal), before_(terminal.mode()) {
    terminal_.set(mode);
  }
  ~TerminalMode() { terminal_.set(before_); }
  TerminalMode(const TerminalMode&) = delete;
  TerminalMode& operator=(const TerminalMode&) = delete;

 private:
  Terminal& terminal_;
  Terminal::Mode before_;
};

// Puts the terminal back as it was found: modes, echo, cursor shown, bracketed paste off. Safe in a
// signal handler, and any number of times; does nothing if no Terminal changed anything.
void restore_terminal() noexcept;

}  // namespace skein::terminal
