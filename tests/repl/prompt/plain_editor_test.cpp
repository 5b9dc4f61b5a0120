#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "repl/prompt/line_editor.h"

using namespace skein;
using namespace skein::prompt;

namespace {

struct LinePipe {
  LinePipe() { REQUIRE(pipe(ends.data()) == 0); }
  ~LinePipe() {
    close(ends[0]);
    hang_up();
  }
  void type(std::string_view text) const {
    REQUIRE(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void hang_up() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
  std::array<int, 2> ends{};
};

bool never() { return false; }

}  // namespace

TEST_CASE("plain lines: whole ones, with and without carriage returns, and the rest at the end") {
  LinePipe pipe;
  pipe.type("one\ntwo\r\n\nrest");
  pipe.hang_up();
  const auto editor = make_plain_editor(pipe.ends[0], false, never);
  for (const char* expected : {"one", "two", "", "rest"}) {
    edit::Draft line;
    CHECK(editor->read("", line) == LineEditor::ReadResult::line);
    CHECK(line.text == expected);
  }
  edit::Draft line;
  CHECK(editor->read("", line) == LineEditor::ReadResult::end);
}

TEST_CASE("a signal ends a plain line, also one that comes after its flag was looked at") {
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) {};
  REQUIRE(sigaction(SIGTERM, &action, &before) == 0);
  LinePipe pipe;
  edit::Draft line;
  const auto late = make_plain_editor(pipe.ends[0], false, [] {
    raise(SIGTERM);  // the worst moment: the answer below is out of date already
    return false;
  });
  CHECK(late->read("", line) == LineEditor::ReadResult::interrupt);
  CHECK(make_plain_editor(pipe.ends[0], false, [] { return true; })->read("", line) ==
        LineEditor::ReadResult::interrupt);
  sigaction(SIGTERM, &before, nullptr);
}
