#include "repl/prompt/history.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::prompt;
using namespace skein::test;
using Lines = std::vector<std::string>;

TEST_CASE("what was typed is there again in the next process, newlines and backslashes too") {
  TempDir dir;
  const std::string file = dir / "state/skein/input_history";
  {
    History history(file);
    history.add("first");
    history.add("two\nlines \\n");
    history.add("two\nlines \\n");
  }
  CHECK(History(file).lines() == Lines{"first", "two\nlines \\n"});
  struct stat status {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a line with a space before it and a blank one are not kept") {
  TempDir dir;
  History history(dir / "h");
  history.add(" secret");
  history.add("");
  history.add("  \n");
  history.add("kept");
  CHECK(history.lines() == Lines{"kept"});
  CHECK(read_file(dir / "h") == "kept\n");
}

TEST_CASE("what another process types shows up, and none of the lines is lost") {
  TempDir dir;
  const std::string file = dir / "h";
  History mine(file);
  mine.add("mine");
  History(file).add("theirs");
  CHECK(mine.lines() == Lines{"mine", "theirs"});

  REQUIRE(complaints_of(200, 4, [&](std::size_t i) {
            History(file).add("line " + std::to_string(i));
            return std::string{};
          }) == 0);
  CHECK(mine.lines().size() == 202);
}

TEST_CASE("a line that a crash cut short does not swallow the next one") {
  TempDir dir;
  write_file(dir / "h", "one\ntorn");
  History history(dir / "h");
  history.add("two");
  CHECK(history.lines() == Lines{"one", "torn", "two"});
}

TEST_CASE("of a long file the end is read") {
  TempDir dir;
  std::string bytes;
  for (int i = 0; i < 100'000; ++i)
    bytes += "a line of some length, number " + std::to_string(i) + "\n";
  write_file(dir / "h", bytes);
  History history(dir / "h");
  REQUIRE(history.lines().size() > 1000);
  CHECK(history.lines().size() < 100'000);
  CHECK(history.lines().front().starts_with("a line of"));
  CHECK(history.lines().back().ends_with("number 99999"));
}

TEST_CASE("Up finds lines by their start and passes over repetitions") {
  History history;
  for (const char* line : {"git status", "make", "git log", "make", "git log"}) history.add(line);
  REQUIRE(history.lines().size() == 5);
  CHECK(history.before(5, "git") == 4);
  CHECK(history.before(4, "git") == 0);
  CHECK(history.before(0, "git") == std::nullopt);
  CHECK(history.after(0, "git") == 2);
  CHECK(history.after(4, "git") == std::nullopt);
  CHECK(history.before(5, "") == 4);
  CHECK(history.rest_of("git s") == "tatus");
  CHECK(history.rest_of("git log").empty());
}
