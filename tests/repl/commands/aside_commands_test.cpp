// /btw, /status and /edit on a prompt whose screen is remembered.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "repl/repl.h"
#include "tests/support/homes.h"
#include "tests/support/recorded_screen.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::test;

namespace {

struct AsideScene {
  explicit AsideScene(JsonText script) : stage(std::move(script)) {
    session.open(session_called(stage.store, "main:cli:user"));
  }
  std::string shown(const std::string& line) {
    screen->flush();
    screen.writes.clear();
    repl.handle({line});
    screen->flush();
    return screen.bytes();
  }

  Stage stage;
  std::atomic<bool> leave{false};
  RecordedScreen screen{piped};
  session::TypedInput input{{.screen = *screen, .stop = stage.stop}};
  session::Session session{
      {.store = stage.store,
       .agent = stage.agent,
       .screen = *screen,
       .input = input,
       .stop = stage.stop,
       .leave = leave,
       .workspace = "/ws",
       .settings_for = [this](const agent::Conversation&) { return stage.settings; },
       .services = {
           .program =
               [] {
                 return session::ProgramFacts{
                     "skein 1.2", "/home/x/\x1b[31mskein", "/log", {"/etc/a", "/etc/b"}};
               },
           .servers =
               [] {
                 return std::vector<session::ServerLine>{{"files", "ready", "2", "", "", ""}};
               }}}};
  repl::Repl repl{session, input};
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("/btw shows its answer apart, and /history shows it where it was asked") {
  AsideScene scene(
      R"(["hello there", [{"say": "forty-two"}, {"usage": {"input": 40, "output": 2}}], "bye"])");
  CHECK(has(scene.shown("/btw how many?"), "nothing has been said yet"));
  scene.shown("hi");
  const std::string said = scene.shown("/btw how many?");
  CHECK(said.starts_with("beside the conversation:\n"));
  CHECK(has(said, "forty-two"));
  CHECK(has(said, "40 in 2 out"));
  scene.shown("and now?");
  const std::string history = scene.shown("/history all");
  const std::size_t asked = history.find("beside the conversation: how many?");
  REQUIRE(asked != std::string::npos);
  CHECK(history.find("hello there") < asked);
  CHECK(history.find("forty-two") > asked);
  CHECK(history.find("and now?") > history.find("forty-two"));
  CHECK(has(history, "not part of the conversation"));
}

TEST_CASE("/btw alone says what it is for") {
  AsideScene scene("[]");
  CHECK(has(scene.shown("/btw"), "/btw takes a question"));
}

TEST_CASE("/status says on one screen where one is") {
  AsideScene scene(R"(["hello there"])");
  scene.shown("hi");
  const std::string status = scene.shown("/status");
  for (const char* part :
       {"version       skein 1.2\n", "session       hi · main:cli:user\n", "folder        /ws\n",
        "model         scripted/x\n", "mode          ", "context       about ",
        "used          1 message · ", " 1 branch\n", "settings      /etc/a, /etc/b\n",
        "instructions  none\n", "MCP servers   files ready\n", "log           /log\n"})
    CHECK_MESSAGE(has(status, part), part << " in " << status);
  CHECK_FALSE(has(status, "\x1b[31m"));
  CHECK(std::ranges::count(status, '\n') <= 22);
}

TEST_CASE("/edit without a terminal says what does the same") {
  AsideScene scene(R"(["hello there"])");
  scene.shown("hi");
  CHECK(has(scene.shown("/edit"), "/branch ENTRY TEXT"));
}
