// A keyboard on which these keys have been typed already.
#pragma once

#include <string_view>

#include "repl/terminal/keyboard.h"
#include "tests/support/pty.h"

namespace skein::test {

struct Typist {
  explicit Typist(std::string_view keys) {
    terminal.set(terminal::Terminal::Mode::editing);
    pty.type(keys);
  }
  Pty pty{};
  terminal::Terminal terminal{pty.slave(), pty.slave()};
  terminal::Keyboard keyboard{terminal};
};

}  // namespace skein::test
