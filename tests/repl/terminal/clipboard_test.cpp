#include "repl/terminal/requests.h"

#include <doctest/doctest.h>

using namespace skein::terminal;

TEST_CASE("a terminal is asked to copy, also through tmux") {
  CHECK(clipboard_request("hi\n", false) == "\x1b]52;c;aGkK\a");
  CHECK(clipboard_request("hi\n", true) == "\x1b]52;c;aGkK\a\x1bPtmux;\x1b\x1b]52;c;aGkK\a\x1b\\");
}
