// Two terminals on one session, and one project in two folders.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/pty.h"
#include "tests/support/temp_dir.h"

using namespace skein::test;
namespace fs = std::filesystem;

namespace {

void make_clone(const fs::path& folder, const std::string& remote) {
  fs::create_directories(folder / ".git");
  std::ofstream(folder / ".git/config") << "[remote \"origin\"]\n\turl = " << remote << "\n";
  std::ofstream(folder / ".git/HEAD") << "ref: refs/heads/main\n";
}

}  // namespace

TEST_CASE("what is said at one terminal is seen at another, which then takes over") {
  const TempDir dir;
  Pty writer, reader;
  const pid_t first = writer.start_skein(dir.path().string());
  REQUIRE(writer.shows("› "));
  writer.type("say the first thing\r");
  REQUIRE(writer.shows(" out · "));
  const pid_t second = reader.start_skein(dir.path().string(), {"follow", "main:cli:user"});
  REQUIRE(reader.shows("say the first thing"));
  REQUIRE(reader.shows("nobody is at work there; t takes over"));
  writer.type("say the second thing\r");
  CHECK(reader.shows("say the second thing", 10'000));
  reader.type("x");  // means nothing
  reader.type("t");
  REQUIRE(reader.shows("Restored: 2 previous turns", 10'000));
  reader.type("say the third thing\r");
  CHECK(reader.shows("say the third thing"));
  reader.type("\x04");
  CHECK(reader.status_of(second) == 0);
  writer.type("/follow\r");
  REQUIRE(writer.shows("nobody is at work"));
  writer.type("q");
  CHECK(writer.shows("say the third thing"));
  writer.type("\x04");
  CHECK(writer.status_of(first) == 0);
  CHECK(reader.modes() == "echo cooked signals");
}

TEST_CASE("a session that another terminal has open says so, and what was asked there") {
  const TempDir dir;
  Pty ours, theirs;
  const pid_t first = ours.start_skein(dir.path().string());
  REQUIRE(ours.shows("› "));
  CHECK_FALSE(ours.shows("another skein", 1));
  ours.type("say the first thing\r");
  REQUIRE(ours.shows(" out · "));

  const pid_t second = theirs.start_skein(dir.path().string());
  // It was not chosen, so it says how to begin another one.
  REQUIRE(theirs.shows("Restored: 1 previous turn; /new starts afresh"));
  CHECK(theirs.shows("Also open in another skein ("));
  CHECK(theirs.shows("process " + std::to_string(first) + "); /follow watches it"));
  theirs.forget();
  theirs.type("say what ours cannot know\r");
  REQUIRE(theirs.shows(" out · "));

  ours.forget();
  ours.type("say the second thing\r");
  CHECK(ours.shows("your message follows"));
  CHECK(ours.shows("› say what ours cannot know"));
  CHECK(ours.shows(" out · "));
  theirs.type("\x04");
  CHECK(theirs.status_of(second) == 0);
  CHECK(theirs.shows("continues “say the first thing”; from elsewhere: skein"));

  // Nobody has it open any more but we, and whoever names it is not told of /new.
  ours.type("\x04");
  CHECK(ours.status_of(first) == 0);
  Pty again;
  const pid_t third = again.start_skein(dir.path().string(), {"-c"});
  REQUIRE(again.shows("say the first thing · main:cli:user"));
  REQUIRE(again.shows("› "));
  CHECK_FALSE(again.shows("another skein", 1));
  CHECK_FALSE(again.shows("/new starts afresh", 1));
  again.type("\x04");
  CHECK(again.status_of(third) == 0);
}

TEST_CASE("a session in which another terminal is at work says so once") {
  const TempDir dir;
  Pty ours, theirs;
  const pid_t first = ours.start_skein(dir.path().string(), {"-y"});
  REQUIRE(ours.shows("› "));
  ours.type("run sleep 60\r");
  REQUIRE(ours.shows("bash sleep 60"));
  const pid_t second = theirs.start_skein(dir.path().string(), {"-c"});
  CHECK(theirs.shows("Another skein is at work here ("));
  theirs.type("\x04");
  CHECK(theirs.status_of(second) == 0);
  CHECK_FALSE(theirs.shows("another process", 1));
  ours.type("\x1b");
  REQUIRE(ours.shows("stopped"));
  ours.type("\x04");
  CHECK(ours.status_of(first) == 0);
}

TEST_CASE("^C ends following, and leaves the terminal as it was") {
  const TempDir dir;
  Pty pty;
  Command command = skein_command((dir / "home").string(), {"append", "main:cli:one"});
  command.input =
      R"({"type":"message","payload":{"role":"user","content":[{"type":"text","text":"hi"}]}})";
  REQUIRE(run(command).status == 0);
  const pid_t skein = pty.start_skein(dir.path().string(), {"follow", "main:cli:one"});
  REQUIRE(pty.shows("t takes over, q ends"));
  pty.type("\x03");
  CHECK(pty.status_of(skein) == 0);
  CHECK(pty.modes() == "echo cooked signals");
  CHECK(pty.left_tidy());
}

TEST_CASE("the session of a project is offered in another folder of it, once") {
  const TempDir dir;
  const std::string folder = dir.path().string();
  fs::create_directories(dir / "ws");
  make_clone(dir / "ws", "git@git.example.org:me/it.git");
  make_clone(dir / "clone", "https://git.example.org/me/it");
  make_clone(dir / "another", "https://git.example.org/me/another");
  const auto start_in = [&](Pty& pty, const char* place) {
    return pty.start_skein(folder, {"-C", (dir / place).string()});
  };
  const auto leave = [](Pty& pty, pid_t skein) {
    pty.type("\x04");
    CHECK(pty.status_of(skein) == 0);
  };
  {
    Pty pty;
    const pid_t skein = start_in(pty, "ws");
    REQUIRE(pty.shows("› "));
    pty.type("say where we are\r");
    REQUIRE(pty.shows(" out · "));
    leave(pty, skein);
  }
  {
    Pty pty;
    const pid_t skein = start_in(pty, "another");
    REQUIRE(pty.shows("› "));
    CHECK(pty.shown([](const std::string&) { return true; }).find("Go on with it") ==
          std::string::npos);
    leave(pty, skein);
  }
  {
    Pty pty;
    const pid_t skein = start_in(pty, "clone");
    REQUIRE(pty.shows("Go on with it here?"));
    pty.type("y");
    REQUIRE(pty.shows("Restored: 1 previous turn"));
    REQUIRE(pty.shows("› "));
    leave(pty, skein);
  }
  {
    Pty pty;
    const pid_t skein = start_in(pty, "clone");
    REQUIRE(pty.shows("Restored: 1 previous turn"));
    CHECK(pty.shown([](const std::string&) { return true; }).find("Go on with it") ==
          std::string::npos);
    leave(pty, skein);
  }
}

TEST_CASE("following a session that is deleted ends with its key and how to restore it") {
  const TempDir dir;
  Pty writer, reader;
  const pid_t first = writer.start_skein(dir.path().string());
  REQUIRE(writer.shows("› "));
  writer.type("say something\r");
  REQUIRE(writer.shows(" out · "));
  writer.type("\x04");
  CHECK(writer.status_of(first) == 0);
  const pid_t second = reader.start_skein(dir.path().string(), {"follow", "main:cli:user"});
  REQUIRE(reader.shows("nobody is at work there"));
  Pty deleting;
  const pid_t third =
      deleting.start_skein(dir.path().string(), {"sessions", "delete", "main:cli:user"});
  CHECK(deleting.status_of(third) == 0);
  CHECK(reader.shows("session main:cli:user was deleted; `skein sessions restore main:cli:user`",
                     10'000));
  CHECK(reader.status_of(second) == 4);
}
