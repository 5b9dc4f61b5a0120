// What a person types before and while skein works: nothing is lost, mistaken or sent elsewhere.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/process.h"
#include "tests/support/pty.h"
#include "tests/support/temp_dir.h"

using namespace skein::test;

namespace {

// A model that first works for as long as it takes to be stopped or looked at.
std::string slow_model(const TempDir& dir) {
  const std::string file = (dir.path() / "slow.json").string();
  std::ofstream(file) << R"([[{"say": "working"}, {"wait": 3000}, {"say": " done"}], "second"])";
  return "scripted/" + file;
}

// One that calls a tool which takes a while, and says what it was told last.
std::string steered_model(const TempDir& dir) {
  const std::string file = (dir.path() / "steered.json").string();
  std::ofstream(file) << R"([[{"call": {"id": "c", "name": "bash",
                                         "input": {"command": "echo counting; sleep 2"}}}],
                             "first answer", "second answer"])";
  return "scripted/" + file;
}

int occurrences(const std::string& text, std::string_view what) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++count;
  return count;
}

}  // namespace

TEST_CASE("a line that was typed before the prompt was there is sent") {
  TempDir dir;
  Pty pty;
  pty.type("hello there\r");
  const pid_t skein = pty.start_skein(dir.path().string());
  CHECK(pty.shows("I answer by rule"));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}

TEST_CASE("a prompt on the command line is shown like one that was typed") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(dir.path().string(), {"say something nice"});
  CHECK(pty.shows("\x1b[1msay something nice"));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}

TEST_CASE("what was queued while it worked can be found again with the arrow keys") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(dir.path().string(), {"-m", slow_model(dir)});
  REQUIRE(pty.shows("› "));
  pty.type("first\r");
  REQUIRE(pty.shows("working"));
  pty.type("queued words\r");
  REQUIRE(pty.shows("second"));
  pty.forget();
  pty.type("\x1b[A");
  CHECK(pty.shows("queued words"));
  pty.type("\x03\x04");
  CHECK(pty.status_of(skein) == 0);
}

// Only a shell with job control makes a process that can be stopped.
TEST_CASE("Ctrl+Z while it works stops the process, and it goes on where it was") {
  TempDir dir;
  Pty pty;
  const std::string folder = dir.path().string();
  const pid_t shell = pty.start({"/bin/bash", "--norc", "--noediting", "-i"}, [&] {
    setenv("PS1", "shell> ", 1);
    setenv("SKEIN_HOME", (folder + "/home").c_str(), 1);
    setenv("XDG_STATE_HOME", (folder + "/state").c_str(), 1);
    setenv("XDG_CONFIG_HOME", (folder + "/config").c_str(), 1);
    setenv("TERM", "xterm-256color", 1);
    if (chdir(folder.c_str()) != 0) _exit(126);
  });
  REQUIRE(pty.shows("shell> "));
  pty.type(skein_executable() + " -m " + slow_model(dir) + "\n");
  REQUIRE(pty.shows("› "));
  pty.type("first\r");
  REQUIRE(pty.shows("working"));
  pty.type("\x1a");
  REQUIRE(pty.shows("Stopped"));
  pty.type("fg\n");
  CHECK(pty.shows(" done"));
  CHECK(occurrences(pty.shown([](const std::string&) { return true; }), "› fg") == 0);
  pty.type("\x04");
  REQUIRE(pty.shows("Saved."));
  pty.type("exit\n");
  CHECK(pty.status_of(shell) == 0);
}

TEST_CASE("a command typed right behind /tree is a command") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(dir.path().string());
  REQUIRE(pty.shows("› "));
  pty.type("hello\r");
  REQUIRE(pty.shows("demo · "));
  pty.type("/tree\r/branches\r");
  CHECK(pty.shows(" entries  "));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
  CHECK(occurrences(pty.shown([](const std::string&) { return true; }), "name of the branch") == 0);
}

TEST_CASE("Alt+Enter tells the model before its next step, in the same turn") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(dir.path().string(), {"-y", "-m", steered_model(dir)});
  REQUIRE(pty.shows("› "));
  pty.type("go\r");
  REQUIRE(pty.shows("│ counting"));
  pty.type("not so fast\x1b\r");
  REQUIRE(pty.shows("1 steers · not so fast"));
  REQUIRE(pty.shows("first answer"));
  const std::string shown = pty.shown([](const std::string&) { return true; });
  CHECK(shown.rfind("not so fast") < shown.rfind("first answer"));
  CHECK(occurrences(shown, "second answer") == 0);
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}

TEST_CASE("Up takes the last line back, and what was taken back is not sent") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(dir.path().string(), {"-m", slow_model(dir)});
  REQUIRE(pty.shows("› "));
  pty.type("first\r");
  REQUIRE(pty.shows("working"));
  pty.type("queued words\r");
  REQUIRE(pty.shows("1 queued · queued words"));
  pty.type("\x1b[A");
  REQUIRE(pty.shows("› queued words"));
  pty.type("\x15");
  REQUIRE(pty.shows(" done"));
  pty.forget();
  CHECK_FALSE(pty.shows("second", 500));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}

TEST_CASE("Esc and then Enter stops the turn and sends the line") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(dir.path().string(), {"-m", slow_model(dir)});
  REQUIRE(pty.shows("› "));
  pty.type("first\r");
  REQUIRE(pty.shows("working"));
  pty.type("rather this");
  REQUIRE(pty.shows("› rather this"));
  pty.type("\x1b");
  REQUIRE(pty.shows("stopped"));
  pty.type("\r");
  CHECK(pty.shows("second"));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}

TEST_CASE("the names of commands are offered with what they do, and Enter takes the chosen one") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(dir.path().string());
  REQUIRE(pty.shows("› "));
  pty.type("/bran");
  REQUIRE(pty.shows("continue from an earlier entry"));
  pty.type("\x1b[B");
  pty.type("\r");
  CHECK(pty.shows("no branches yet"));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}
