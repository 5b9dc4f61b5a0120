// What a person types before and while skein works: nothing is lost, mistaken or sent elsewhere.
#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/support/process.h"
#include "tests/support/typed_run.h"

using namespace skein::test;

namespace {

// A model that first works for as long as it takes to be stopped or looked at.
constexpr const char* slow =
    R"([[{"say": "working"}, {"wait": 8000}, {"say": " done"}], "second"])";
// One that calls a tool which takes a while, and says what it was told last.
constexpr const char* steered = R"([[{"call": {"id": "c", "name": "bash",
                                              "input": {"command": "echo counting; sleep 6"}}}],
                                    "first answer", "second answer"])";

}  // namespace

TEST_CASE("a line that was typed before the prompt was there is sent") {
  TypedRun run;
  run.pty.type("hello there\r");
  run.start();
  CHECK(run.pty.shows("I answer by fixed rules"));
  run.leave();
}

TEST_CASE("a prompt on the command line is shown like one that was typed") {
  TypedRun run;
  run.start({"say something nice"});
  CHECK(run.pty.shows("\x1b[1msay something nice"));
  run.leave();
}

TEST_CASE("what was queued while it worked can be found again with the arrow keys") {
  TypedRun run;
  run.start({"-m", run.scripted(slow)});
  run.type(
      {{"first\r", {"working"}}, {"queued words\r", {"second"}}, {"\x1b[A", {"queued words"}}});
  run.leave("\x03\x04");
}

// Only a shell with job control makes a process that can be stopped.
TEST_CASE("Ctrl+Z while it works stops the process, and it goes on where it was") {
  TypedRun run;
  Pty& pty = run.pty;
  const std::string folder = run.dir.path().string();
  const pid_t shell = pty.start({"/bin/bash", "--norc", "--noediting", "-i"}, [&] {
    setenv("PS1", "shell> ", 1);
    setenv("SKEIN_HOME", (folder + "/home").c_str(), 1);
    setenv("XDG_STATE_HOME", (folder + "/state").c_str(), 1);
    setenv("XDG_CONFIG_HOME", (folder + "/config").c_str(), 1);
    setenv("TERM", "xterm-256color", 1);
    if (chdir(folder.c_str()) != 0) _exit(126);
  });
  REQUIRE(pty.shows("shell> "));
  pty.type(skein_executable() + " -m " + run.scripted(slow) + "\n");
  REQUIRE(pty.shows("› "));
  pty.type("first\r");
  REQUIRE(pty.shows("working"));
  pty.type("\x1a");
  REQUIRE(pty.shows("Stopped"));
  pty.type("fg\n");
  CHECK(pty.shows(" done"));
  CHECK_FALSE(run.has_shown("› fg"));
  pty.type("\x04");
  REQUIRE(pty.shows("Saved."));
  pty.type("exit\n");
  CHECK(pty.status_of(shell) == 0);
}

TEST_CASE("a command typed right behind /tree is a command") {
  TypedRun run;
  run.start();
  run.type({{"hello\r", {"demo · "}}, {"/tree\r/snapshot\r", {"no snapshots yet"}}});
  run.leave();
  CHECK_FALSE(run.has_shown("name of the branch"));
}

TEST_CASE("Alt+Enter tells the model before its next step, in the same turn") {
  TypedRun run;
  run.start({"-y", "-m", run.scripted(steered)});
  run.type({{"go\r", {"│ counting"}},
            {"not so fast\x1b\r", {"1 steers · not so fast", "first answer"}}});
  const std::string shown = run.pty.shown([](const std::string&) { return true; });
  CHECK(shown.rfind("not so fast") < shown.rfind("first answer"));
  CHECK_FALSE(run.has_shown("second answer"));
  run.leave();
}

TEST_CASE("Up takes the last line back, and what was taken back is not sent") {
  TypedRun run;
  run.start({"-m", run.scripted(slow)});
  run.type({{"first\r", {"working"}},
            {"queued words\r", {"1 queued · queued words"}},
            {"\x1b[A", {"› queued words"}},
            {"\x15", {" done"}}});
  run.pty.forget();
  CHECK_FALSE(run.pty.shows("second", 500));
  run.leave();
}

TEST_CASE("Esc and then Enter stops the turn and sends the line") {
  TypedRun run;
  run.start({"-m", run.scripted(slow)});
  run.type({{"first\r", {"working"}},
            {"rather this", {"› rather this"}},
            {"\x1b", {"stopped"}},
            {"\r", {"second"}}});
  run.leave();
}

TEST_CASE("the names of commands are offered with what they do, and Enter takes the chosen one") {
  TypedRun run;
  run.start();
  run.type({{"/sk", {"list the skills"}},
            {"\x08\x08"
             "sn",
             {"name this point"}},
            {"\r", {"no snapshots yet"}}});
  run.leave();
}
