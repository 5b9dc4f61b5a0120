// /edit at a terminal.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/pty.h"
#include "tests/support/temp_dir.h"

using namespace skein::test;

namespace {

std::string model_that_says(const TempDir& dir, std::string_view script) {
  const std::string file = (dir.path() / "script.json").string();
  std::ofstream(file) << script;
  return "scripted/" + file;
}

}  // namespace

TEST_CASE("/edit opens an earlier message in the line, and Enter sends it as a branch") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(
      dir.path().string(),
      {"-m", model_that_says(dir, R"(["answer one", "answer two", "answer three"])")});
  REQUIRE(pty.shows("› "));
  pty.type("first\nof two lines\r");
  REQUIRE(pty.shows("answer one"));
  pty.type("second\r");
  REQUIRE(pty.shows("answer two"));
  pty.forget();
  pty.type("/edit 2\r");
  REQUIRE(pty.shows("edit › "));
  REQUIRE(pty.shows("of two lines"));
  pty.type(" changed\r");
  REQUIRE(pty.shows("answer three"));
  pty.forget();
  pty.type("/branches\r");
  CHECK(pty.shows("answer two"));
  CHECK(pty.shows("* "));
  pty.forget();
  pty.type("/history all\r");
  REQUIRE(pty.shows("of two lines changed"));
  REQUIRE(pty.shows("answer three"));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}

TEST_CASE("Esc leaves the message that is edited as it was") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(
      dir.path().string(), {"-m", model_that_says(dir, R"(["answer one", "answer two"])")});
  REQUIRE(pty.shows("› "));
  pty.type("/edit\r");
  REQUIRE(pty.shows("nothing has been said yet"));
  pty.type("first\r");
  REQUIRE(pty.shows("answer one"));
  pty.forget();
  pty.type("/edit\r");
  REQUIRE(pty.shows("edit › "));
  pty.type(" and more");
  REQUIRE(pty.shows("and more"));
  pty.type("\x1b");
  REQUIRE(pty.shows("nothing was changed"));
  pty.forget();
  pty.type("/edit 7\r");
  REQUIRE(pty.shows("there is only 1 message of yours here"));
  pty.forget();
  pty.type("/branches\r");
  REQUIRE(pty.shows("answer one"));
  pty.type("next\r");
  REQUIRE(pty.shows("answer two"));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}
