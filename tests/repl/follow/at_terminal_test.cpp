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
