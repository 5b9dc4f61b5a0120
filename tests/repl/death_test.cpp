// Whatever ends skein at a terminal (but SIGKILL), in whatever it is doing: the terminal is sane.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>

#include "tests/support/pty.h"
#include "tests/support/temp_dir.h"

using namespace skein::test;

namespace {

struct Situation {
  std::string_view what, keys, shown;
};
// Each leaves it waiting: for a line, in a list, in a tree, for an answer, for a silent model.
constexpr Situation situations[] = {
    {"prompt", "half a line", "half a line"},
    {"list of sessions", "/resume\r", "Esc leaves"},
    {"tree", "hello\r/tree\r", "continues here"},
    {"search", "\x12", "no match"},
    {"question", "run touch x\r", "yes, this once"},
    {"turn", "run sleep 100; touch x\r", "Ctrl+C stops"},
};

}  // namespace

TEST_CASE("after any death the terminal has its echo, its lines, its cursor and plain pastes") {
  for (const Situation& situation : situations)
    for (const int signal : {SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGBUS, SIGQUIT}) {
      CAPTURE(situation.what);
      CAPTURE(signal);
      TempDir dir;
      Pty pty;
      const pid_t skein = pty.start_skein(dir.path().string(), {"--no-session"});
      REQUIRE(pty.shows("› "));
      pty.type(situation.keys);
      if (situation.what == "turn") {
        REQUIRE(pty.shows("yes, this once"));
        pty.type("y");
      }
      REQUIRE(pty.shows(situation.shown));

      kill(skein, signal);

      const auto status = pty.status_of(skein);
      REQUIRE(status);
      const bool asked_to = signal == SIGTERM || signal == SIGHUP;
      CHECK((asked_to ? *status == 130 : *status != 0));  // a sanitizer has a status of its own
      CHECK(pty.modes() == "echo cooked signals");
      CHECK(pty.left_tidy());
    }
}

TEST_CASE("a terminal that is closed ends skein, and what was typed is there the next time") {
  TempDir dir;
  pid_t skein = 0;
  {
    Pty pty;
    skein = pty.start_skein(dir.path().string());
    REQUIRE(pty.shows("› "));
    pty.type("a thought");
    REQUIRE(pty.shows("a thought"));
  }
  Pty again;
  REQUIRE(again.status_of(skein));
  again.start_skein(dir.path().string());
  CHECK(again.shows("a thought"));
  again.type("\x03\x03\x03");
}

TEST_CASE("a file that may not grow ends neither the prompt nor the session") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(dir.path().string());
  REQUIRE(pty.shows("› "));
  rlimit before{};
  REQUIRE(prlimit(skein, RLIMIT_FSIZE, nullptr, &before) == 0);
  const rlimit none{0, before.rlim_max};

  REQUIRE(prlimit(skein, RLIMIT_FSIZE, &none, nullptr) == 0);
  pty.type("first words\r");
  REQUIRE(pty.shows("nothing was written, make room"));
  REQUIRE(prlimit(skein, RLIMIT_FSIZE, &before, nullptr) == 0);
  pty.forget();
  pty.type("\x15run touch made-$((6*7))\r");
  REQUIRE(pty.shows("yes, this once"));
  pty.type("n");
  REQUIRE(pty.shows("› "));
  pty.type("\x15/quit\r");

  CHECK(pty.status_of(skein) == 0);
  CHECK(pty.modes() == "echo cooked signals");
  CHECK(pty.left_tidy());
}
