// The user's terminal: modes, size, waiting for keys, restoring it, also from a signal handler.
#pragma once

#include "core/text/std.h"

#include "core/text/wait.h"

namespace skein::terminal {

class Terminal {
 public:
  struct Size {
    std::size_t columns = 80, rows = 24;
    bool operator==(const Size&) const = default;
  };
  // found: its original mode; editing: every key is a byte for us; turn: the same, but ^C is a
  // signal, so that it works however busy we are.
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
  // Whether it is to report when its window comes to the front or leaves it; before set().
  void report_focus(bool wanted) { reports_focus_ = wanted; }
  Size size() const;

  // From now on, while a mode is set, keys are sent so that Ctrl+Enter is not the same as Enter, if
  // the terminal can do that; it answers with reports. False: it certainly cannot.
  bool ask_for_extended_keys();

  // As skein::wait; a window that got another size is due too.
  Wake wait(std::optional<std::chrono::milliseconds> pause,
            const std::function<bool()>& due = {}) const;
  // The bytes that have arrived; empty after a hang-up.
  std::string read();
  // Bytes typed before the mode was set and not read yet; poll does not report them.
  bool has_early_input() const { return !early_.empty(); }
  void write(std::string_view bytes) const;
  // True once after each change of the window's size.
  bool take_resize() const;
  // Stops the process group as ^Z does, and comes back when it is continued.
  void suspend();

 private:
  void take_early_input();
  void begin_extended();

  int in_, out_;
  Mode mode_ = Mode::found;
  bool reports_focus_ = false;
  bool extended_keys_ = false;
  std::string early_{};
};

// Sets another mode while it lives, for a turn or a child that needs the terminal.
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

// Restores the terminal: modes, echo, cursor shown, bracketed paste and reports of focus off. Safe
// in a signal handler, and any number of times; does nothing if no Terminal changed anything.
void restore_terminal() noexcept;

// The ways to show a message outside the window. Most are named after their control sequences.
enum class NoticeWay { automatic, bell, osc9, osc777, osc99, command, off };

// What some terminals can do and others cannot, by the environment; one table knows them all.
struct Abilities {
  NoticeWay notice = NoticeWay::bell;  // one of the sequences
  bool reports_focus = true;           // may be asked to; it need not answer
  bool in_tmux = false;                // which passes on only what is wrapped for it, and if it may
};

using Environment = std::function<std::string(const char* name)>;
Abilities abilities_of(const Environment& environment);

// `sequence` for the terminal around tmux.
std::string through_tmux(std::string_view sequence);

}  // namespace skein::terminal
