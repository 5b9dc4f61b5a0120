#include "repl/terminal/requests.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein;
using namespace skein::terminal;

TEST_CASE("a terminal is told where prompts and answers are") {
  std::string told;
  TerminalMarks marks([&](std::string_view bytes) { told += bytes; });
  marks.prompt();
  marks.sent();
  marks.done(true);
  CHECK(told == "\x1b]133;A\a\x1b]133;C\a\x1b]133;D;0\a");
  told.clear();
  marks.sent();
  marks.done(false);
  CHECK(told == "\x1b]133;C\a\x1b]133;D;1\a");
  told.clear();
  marks.done(true);  // nothing was sent
  CHECK(told.empty());
}

TEST_CASE("the title is the session's, and afterwards what it was") {
  std::string told;
  TerminalMarks marks([&](std::string_view bytes) { told += bytes; });
  marks.leave();
  CHECK(told.empty());
  marks.title("one");
  marks.title("two");
  marks.leave();
  CHECK(told == "\x1b[22;2t\x1b]2;one\a\x1b]2;two\a\x1b[23;2t");
}

TEST_CASE("no title drives the terminal") {
  std::string told;
  TerminalMarks marks([&](std::string_view bytes) { told += bytes; });
  marks.title("");
  told.clear();
  marks.title(
      "a\x07"
      "b\x1b]0;c\x1b\\\n\xc2\x9c" +
      std::string(500, 'x'));
  const std::string inside = told.substr(4, told.size() - 5);
  for (const char c : inside) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7F));
  CHECK(inside.find("\xc2\x9c") == std::string::npos);
  CHECK(inside.size() < 300);
}

TEST_CASE("whoever wants no marks gets none") {
  TerminalMarks marks;
  marks.title("x");
  marks.prompt();
  marks.sent();
  marks.done(true);
  marks.leave();
}
