// Two terminals on one session, and one project in two folders.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/process.h"
#include "tests/support/typed_run.h"

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
  TypedRun writer, reader(writer.folder);
  writer.start();
  writer.type({{"say the first thing\r", {" out · "}}});
  reader.start({"follow", "main:cli:user"}, "say the first thing");
  REQUIRE(reader.pty.shows("no process is using this session; t takes over"));
  writer.pty.type("say the second thing\r");
  CHECK(reader.pty.shows("say the second thing"));
  reader.pty.type("x");  // means nothing
  reader.type(
      {{"t", {"Restored: 2 previous turns"}}, {"say the third thing\r", {"say the third thing"}}});
  reader.leave();
  writer.type({{"/follow\r", {"no process is using"}}});
  writer.pty.type("q");
  CHECK(writer.pty.shows("say the third thing"));
  writer.leave();
  CHECK(reader.pty.modes() == "echo cooked signals");
}

TEST_CASE("a session that another terminal has open says so, and what was asked there") {
  TypedRun ours, theirs(ours.folder), again(ours.folder);
  ours.start();
  CHECK_FALSE(ours.pty.shows("another skein", 1));
  ours.type({{"say the first thing\r", {" out · "}}});

  // It was not chosen, so it says how to begin another one.
  theirs.start({}, "Restored: 1 previous turn; /new starts a new session");
  CHECK(theirs.pty.shows("Also open in another skein ("));
  CHECK(theirs.pty.shows("process " + std::to_string(ours.process()) + "); /follow watches it"));
  theirs.type({{"say what ours cannot know\r", {" out · "}}});

  ours.type({{"say the second thing\r",
              {"your message follows", "› say what ours cannot know", " out · "}}});
  theirs.leave();
  CHECK(theirs.pty.shows("continues “say the first thing”; from other folders: skein"));

  // Only we have it open now, and a user who names it does not hear of /new.
  ours.leave();
  again.start({"-c"}, "say the first thing · main:cli:user");
  REQUIRE(again.pty.shows("› "));
  CHECK_FALSE(again.pty.shows("another skein", 1));
  CHECK_FALSE(again.pty.shows("/new starts a new session", 1));
  again.leave();
}

TEST_CASE("a session in which another terminal is at work says so once") {
  TypedRun ours, theirs(ours.folder);
  ours.start({"-y"});
  ours.type({{"run sleep 60\r", {"bash sleep 60"}}});
  theirs.start({"-c"}, "Another skein is using this session (");
  theirs.leave();
  CHECK_FALSE(theirs.pty.shows("another process", 1));
  ours.type({{"\x1b", {"stopped"}}});
  ours.leave();
}

TEST_CASE("^C ends following, and leaves the terminal as it was") {
  TypedRun run;
  Command command = skein_command(run.folder + "/home", {"append", "main:cli:one"});
  command.input =
      R"({"type":"message","payload":{"role":"user","content":[{"type":"text","text":"hi"}]}})";
  REQUIRE(skein::test::run(command).status == 0);
  run.start({"follow", "main:cli:one"}, "t takes over, q quits");
  run.leave("\x03");
  CHECK(run.pty.modes() == "echo cooked signals");
  CHECK(run.pty.left_tidy());
}

TEST_CASE("the session of a project is offered in another folder of it, once") {
  const TypedRun first;
  const fs::path folder = first.folder;
  fs::create_directories(folder / "ws");
  make_clone(folder / "ws", "git@git.example.org:me/it.git");
  make_clone(folder / "clone", "https://git.example.org/me/it");
  make_clone(folder / "another", "https://git.example.org/me/another");
  const auto in = [&](const char* place) {
    return std::vector<std::string>{"-C", (folder / place).string()};
  };
  {
    TypedRun run(first.folder);
    run.start(in("ws"));
    run.type({{"say where we are\r", {" out · "}}});
    run.leave();
  }
  {
    TypedRun run(first.folder);
    run.start(in("another"));
    CHECK_FALSE(run.has_shown("Go on with it"));
    run.leave();
  }
  {
    TypedRun run(first.folder);
    run.start(in("clone"), "Continue it here?");
    run.type({{"y", {"Restored: 1 previous turn", "› "}}});
    run.leave();
  }
  {
    TypedRun run(first.folder);
    run.start(in("clone"), "Restored: 1 previous turn");
    CHECK_FALSE(run.has_shown("Go on with it"));
    run.leave();
  }
}

TEST_CASE("following a session that is deleted ends with its key and how to restore it") {
  TypedRun writer, reader(writer.folder);
  writer.start();
  writer.type({{"say something\r", {" out · "}}});
  writer.leave();
  reader.start({"follow", "main:cli:user"}, "no process is using this session");
  Pty deleting;
  const pid_t deletion =
      deleting.start_skein(writer.folder, {"sessions", "delete", "main:cli:user"});
  CHECK(deleting.status_of(deletion) == 0);
  CHECK(reader.pty.shows(
      "session main:cli:user was deleted; `skein sessions restore main:cli:user`"));
  CHECK(reader.pty.status_of(reader.process()) == 4);
}
