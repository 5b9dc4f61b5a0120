#include "repl/terminal/terminal.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "repl/terminal/keyboard.h"
#include "tests/support/environment.h"
#include "tests/support/process.h"
#include "tests/support/pty.h"

using namespace skein;
using namespace skein::terminal;
using namespace skein::test;

namespace {

constexpr std::string_view sane = "echo cooked signals";

}  // namespace

TEST_CASE("a terminal is as it was found once nobody uses it any more") {
  Pty pty;
  {
    Terminal terminal(pty.slave(), pty.slave());
    terminal.set(Terminal::Mode::editing);
    CHECK(pty.modes().empty());
    terminal.set(Terminal::Mode::turn);
    CHECK(pty.modes() == "signals");
    {
      const TerminalMode cooked(terminal, Terminal::Mode::found);
      CHECK(pty.modes() == sane);
    }
    CHECK(pty.modes() == "signals");
  }
  CHECK(pty.modes() == sane);
  CHECK(pty.shows("\x1b[?2004l\x1b[?25h"));
}

TEST_CASE("reports of focus are wanted only while the terminal is ours") {
  Pty pty;
  {
    Terminal terminal(pty.slave(), pty.slave());
    terminal.report_focus(true);
    terminal.set(Terminal::Mode::editing);
    CHECK(pty.shows("\x1b[?1004h"));
    pty.forget();
    {
      const TerminalMode cooked(terminal, Terminal::Mode::found);
      CHECK(pty.shows("\x1b[?1004l"));
      pty.forget();
    }
    CHECK(pty.shows("\x1b[?1004h"));
    pty.forget();
  }
  CHECK(pty.shows("\x1b[?1004l"));
}

TEST_CASE("keys are told apart while a mode is set, and as ever before and after") {
  const Environment term("TERM", "xterm");
  Pty pty;
  Terminal terminal(pty.slave(), pty.slave());
  CHECK(terminal.ask_for_extended_keys());
  CHECK(pty.shows("\x1b[c"));
  terminal.set(Terminal::Mode::editing);
  CHECK(pty.shows("\x1b[>1u\x1b[>4;1m"));
  pty.forget();
  terminal.set(Terminal::Mode::turn);
  terminal.set(Terminal::Mode::found);
  CHECK(pty.shows("\x1b[<u\x1b[>4m"));
  pty.forget();
  restore_terminal();
  terminal.set(Terminal::Mode::editing);
  CHECK(pty.shows("\x1b[>1u"));
  const Environment console("TERM", "linux");
  CHECK_FALSE(terminal.ask_for_extended_keys());
}

TEST_CASE("a death by our own fault leaves a sane terminal and keeps its cause") {
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT}) {
    Pty pty;
    const pid_t child = start([&] {
      std::signal(signal, SIG_DFL);  // no sanitizer's report
      Terminal terminal(pty.slave(), pty.slave());
      terminal.set(Terminal::Mode::editing);
      raise(signal);
      return 0;
    });
    int status = 0;
    waitpid(child, &status, 0);
    CAPTURE(signal);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == signal));
    CHECK(pty.modes() == sane);
    CHECK(pty.shows("\x1b[?2004l\x1b[?25h"));
  }
}

TEST_CASE("a signal that was ignored before stays so, and leaves the terminal as it is") {
  Pty pty;
  const pid_t child = start([&] {
    std::signal(SIGQUIT, SIG_IGN);  // as a shell starts what it puts in the background
    Terminal terminal(pty.slave(), pty.slave());
    terminal.set(Terminal::Mode::editing);
    raise(SIGQUIT);
    return pty.modes() == sane ? 1 : 0;
  });
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("a terminal tells its size, and 80 by 24 where it has none") {
  Pty pty(123, 45);
  Terminal terminal(pty.slave(), pty.slave());
  CHECK(terminal.size() == Terminal::Size{123, 45});
  pty.resize(0, 0);
  CHECK(terminal.size() == Terminal::Size{80, 24});
}

TEST_CASE("waiting ends with a key, a pause, a new size, or something that is due already") {
  Pty pty;
  Terminal terminal(pty.slave(), pty.slave());
  terminal.set(Terminal::Mode::editing);
  using std::chrono::milliseconds;

  CHECK(terminal.wait(milliseconds(1)) == Wake::deadline);
  CHECK(terminal.wait({}, [] { return true; }) == Wake::signal);
  pty.type("k");
  CHECK(terminal.wait({}) == Wake::ready);
  CHECK(terminal.read() == "k");
  raise(SIGWINCH);
  CHECK(terminal.wait({}) == Wake::signal);
  CHECK(terminal.take_resize());
  CHECK_FALSE(terminal.take_resize());
}

TEST_CASE("Enter that was typed before we came is Enter, not Ctrl+J") {
  Pty pty;
  Terminal terminal(pty.slave(), pty.slave());
  pty.type("early\r");
  terminal.set(Terminal::Mode::editing);
  pty.type("late\r\n");
  std::string got;
  while (got.size() < 12) {
    REQUIRE(terminal.wait(std::chrono::seconds(20)) == Wake::ready);
    got += terminal.read();
  }
  CHECK(got == "early\rlate\r\n");
}

TEST_CASE("Esc is taken out of what was typed, and other keys wait for the next reader") {
  Pty pty;
  Terminal terminal(pty.slave(), pty.slave());
  terminal.set(Terminal::Mode::turn);
  Keyboard keyboard(terminal);
  CHECK_FALSE(keyboard.take_escape());
  pty.type("ab\x1b[A");
  REQUIRE(terminal.wait(std::chrono::seconds(20)) == Wake::ready);
  CHECK_FALSE(keyboard.take_escape());
  for (const Key& typed : {character('a'), character('b'), key(Key::Code::up)}) {
    Key read;
    REQUIRE(keyboard.next(read, std::chrono::seconds(20)) == Keyboard::KeyResult::key);
    CHECK(read == typed);
  }
  pty.type("c\x1b");
  REQUIRE(terminal.wait(std::chrono::seconds(20)) == Wake::ready);
  while (!keyboard.take_escape()) continue;  // both have arrived by then
  CHECK_FALSE(keyboard.typed_ahead());
}
