#include "repl/terminal/terminal.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "repl/terminal/keyboard.h"
#include "repl/terminal/requests.h"
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
  const test::Environment term("TERM", "xterm");
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
  const test::Environment console("TERM", "linux");
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

TEST_CASE("the answer about the background is heard among the keys, and no key is lost") {
  Pty pty;
  Terminal terminal(pty.slave(), pty.slave());
  terminal.set(Terminal::Mode::turn);
  Keyboard keyboard(terminal);
  keyboard.ask_background();
  CHECK(pty.shows(background_request));
  CHECK_FALSE(keyboard.light().has_value());
  pty.type(
      "a\x1b]11;rgb:ffff/ffff/f0f0\x07"
      "b\x1b[A");
  while (!keyboard.light()) {
    REQUIRE(terminal.wait(std::chrono::seconds(20)) == Wake::ready);
    keyboard.look_for_background();
  }
  CHECK(keyboard.light() == true);
  for (const Key& typed : {character('a'), character('b'), key(Key::Code::up)}) {
    Key read;
    Keyboard::KeyResult result = Keyboard::KeyResult::pause;
    while (result == Keyboard::KeyResult::pause)  // once, for the answer
      result = keyboard.next(read, std::chrono::seconds(20));
    REQUIRE(result == Keyboard::KeyResult::key);
    CHECK(read == typed);
  }
  pty.type("\x1b]11;rgb:0000/0000/0000\x1b\\c");  // later, and another
  CHECK(keyboard.next_key(nullptr) == character('c'));
  CHECK(keyboard.light() == false);
}

TEST_CASE("an answer about the background that is due does not stay for the shell") {
  Pty pty;
  Terminal terminal(pty.slave(), pty.slave());
  terminal.set(Terminal::Mode::turn);
  {
    Keyboard keyboard(terminal);
    keyboard.ask_background();
    pty.type("\x1b]11;rgb:0000/0000/0000\x07");
  }
  CHECK(terminal.wait(std::chrono::milliseconds(0)) == Wake::deadline);
}

TEST_CASE("the luminance of a background is read from the terminal's answer") {
  struct Row {
    std::string_view answer;
    bool light;
  };
  for (const auto& [answer, light] :
       {Row{"rgb:ffff/ffff/ffff", true}, Row{"rgb:fdfd/f6f6/e3e3", true}, Row{"rgb:f/f/f", true},
        Row{"rgba:ffff/ffff/ffff/8080", true}, Row{"rgb:FFF/FFF/000", true},
        Row{"rgb:0000/0000/0000", false}, Row{"rgb:0000/2b2b/3636", false},
        Row{"rgb:00/00/ff", false}, Row{"rgb:7f7f/7f7f/7f7f", false},
        Row{"rgb:8080/8080/8080", true}}) {
    CAPTURE(answer);
    const std::optional<double> found = luminance(answer);
    REQUIRE(found.has_value());
    CHECK(is_light(*found) == light);
  }
  CHECK(luminance("rgb:ffff/ffff/ffff") == doctest::Approx(1));
  for (const std::string_view none :
       {"", "rgb:", "rgb:ff/ff", "rgb:ff/ff/ff/ff", "rgba:ff/ff/ff", "rgb:ff//ff", "rgb:ff/ff/fg",
        "rgb:fffff/ff/ff", "rgb:-1/ff/ff", "#ffffff", "?"}) {
    CAPTURE(none);
    CHECK_FALSE(luminance(none).has_value());
  }
}

TEST_CASE("COLORFGBG says whether the background is light") {
  for (const std::string_view light : {"0;15", "0;default;15", "0;7", "0;11"})
    CHECK(is_light(light) == true);
  for (const std::string_view dark : {"15;0", "15;default;0", "7;8", "15;4"})
    CHECK(is_light(dark) == false);
  for (const std::string_view neither : {"", "15", "0;default", "0;16", "0;", "0;-1", "0;7x"})
    CHECK_FALSE(is_light(neither).has_value());
}
