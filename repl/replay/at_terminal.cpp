#include "repl/replay/at_terminal.h"

namespace skein::replay {

namespace {

using Code = terminal::Key::Code;
using Result = terminal::Keyboard::KeyResult;
using terminal::is_letter, terminal::leaves;

}  // namespace

Ports ports_at(terminal::Keyboard& keyboard, screen::Screen& screen,
               const std::atomic<bool>& stop) {
  Ports ports;
  ports.print = [&screen](const std::string& text) {
    screen.print_untrusted(text);
    screen.flush();
  };
  ports.wait = [&keyboard, &stop](std::chrono::milliseconds pause) {
    const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
    const auto stopped = [&stop] { return stop.load(); };
    terminal::Key key;
    switch (keyboard.next(key, pause, stopped)) {
      case Result::key: return !leaves(key);
      case Result::hang_up: return false;
      case Result::signal: keyboard.terminal().take_resize(); return !stopped();
      case Result::pause: break;
    }
    return !stopped();
  };
  ports.ask = [&keyboard, &screen, &stop](const std::string& question, bool may_branch) {
    screen.print_untrusted((question.empty() ? "" : question + ": ") + "[Enter] go on  " +
                           (may_branch ? "[b]ranch from the entry before it  " : "") + "[q]uit › ");
    screen.flush();
    const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
    const auto answer = [&screen](Choice choice, const char* word) {
      screen.print(std::string(word) + "\n\n");
      return choice;
    };
    const auto stopped = [&stop] { return stop.load(); };
    for (terminal::Key key;;) {
      const Result got = keyboard.next(key, {}, stopped);
      if (got == Result::signal) keyboard.terminal().take_resize();
      if (got == Result::hang_up || stopped()) return answer(Choice::quit, "quit");
      if (got != Result::key) continue;
      if (leaves(key)) return answer(Choice::quit, "quit");
      if (may_branch && is_letter(key, 'b')) return answer(Choice::branch, "branch");
      if (key == terminal::key(Code::enter) || terminal::typed(key) == " " || is_letter(key, 'c') ||
          is_letter(key, 'n'))
        return answer(Choice::go_on, "go on");
    }
  };
  return ports;
}

}  // namespace skein::replay
