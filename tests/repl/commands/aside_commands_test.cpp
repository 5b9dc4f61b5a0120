// /btw, /status and /edit on a prompt whose screen is remembered.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/prompt_scene.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::test;

namespace {

struct Servers {
  mcp::Hub servers{{{.name = "files", .enabled = false}}, mcp::Hub::Parts{.open = {}}};
};

struct KnownProgram : session::Program {
  session::ProgramFacts facts() const override {
    return {.version = "skein 1.2",
            .home = "/home/x/\x1b[31mskein",
            .log = "/log",
            .settings = {"/etc/a", "/etc/b"}};
  }
};
KnownProgram known_program{};

struct AsideScene : Servers, Stage, PromptScene {
  explicit AsideScene(JsonText script)
      : Stage(std::move(script)),
        PromptScene({.store = store,
                     .agent = agent,
                     .stop = stop,
                     .settings = settings,
                     .workspace = "/ws",
                     .services = {.servers = &servers, .program = &known_program}}) {}
};

}  // namespace

TEST_CASE("/btw shows its answer apart, and /history shows it where it was asked") {
  AsideScene scene(
      R"(["hello there", [{"say": "forty-two"}, {"usage": {"input": 40, "output": 2}}], "bye"])");
  CHECK(has(scene.shown("/btw how many?"), "there is no conversation yet"));
  scene.shown("hi");
  const std::string said = scene.shown("/btw how many?");
  CHECK(said.starts_with("side question:\n"));
  CHECK(has(said, "forty-two"));
  CHECK(has(said, "40 in 2 out"));
  scene.shown("and now?");
  const std::string history = scene.shown("/history all");
  const std::size_t asked = history.find("side question: how many?");
  REQUIRE(asked != std::string::npos);
  CHECK(history.find("hello there") < asked);
  CHECK(history.find("forty-two") > asked);
  CHECK(history.find("and now?") > history.find("forty-two"));
  CHECK(has(history, "not part of the conversation"));
}

TEST_CASE("/btw alone says what it is for") {
  AsideScene scene("[]");
  CHECK(has(scene.shown("/btw"), "usage: /btw QUESTION"));
}

TEST_CASE("/status says on one screen where one is") {
  AsideScene scene(R"(["hello there"])");
  scene.shown("hi");
  const std::string status = scene.shown("/status");
  for (const char* part :
       {"version       skein 1.2\n", "session       hi · main:cli:user\n", "folder        /ws\n",
        "model         scripted/x\n", "mode          ", "context       about ",
        "used          1 message · ", " 1 branch\n", "settings      /etc/a, /etc/b\n",
        "instructions  none\n", "MCP servers   files disabled\n", "log           /log\n"})
    CHECK_MESSAGE(has(status, part), part << " in " << status);
  CHECK_FALSE(has(status, "\x1b[31m"));
  CHECK(std::ranges::count(status, '\n') <= 22);
}

TEST_CASE("/edit without a terminal says what does the same") {
  AsideScene scene(R"(["hello there"])");
  scene.shown("hi");
  CHECK(has(scene.shown("/edit"), "/branch ENTRY TEXT"));
}
