// /model and /thinking where there is no list to choose from.
#include <doctest/doctest.h>

#include <atomic>

#include "core/store/home/file_backend.h"
#include "providers/offline/offline.h"
#include "repl/repl.h"
#include "tests/support/homes.h"
#include "tests/support/recorded_screen.h"

using namespace skein;
using namespace skein::test;

namespace {

struct Scene {
  offline::OfflineProvider demo{std::chrono::milliseconds{0}};
  store::SessionStore store{
      std::make_unique<store::home::FileBackend>(store::files::memory_files())};
  model::Tools tools{};
  agent::Agent agent{
      {.store = store,
       .tools = tools,
       .provider = [this](const model::ModelRef&) -> model::Provider& { return demo; },
       .limits =
           [](const model::ModelRef&) {
             return agent::ModelLimits{{32'000, 4'000}, true};
           }}};
  std::atomic<bool> stop{false}, leave{false};
  RecordedScreen screen{piped};
  session::TypedInput input{{.screen = *screen, .stop = stop}};
  bool asked = false;
  session::Session session{
      {.store = store,
       .agent = agent,
       .screen = *screen,
       .input = input,
       .stop = stop,
       .leave = leave,
       .workspace = "/",
       .settings_for =
           [](const agent::Conversation&) {
             return agent::Agent::Settings{.model = {"offline", "demo"}, .system = "be brief"};
           },
       .services = services()}};
  repl::Repl repl{session, input};

  Scene() { session.open(session_called(store, "main:cli:user")); }

  session::Services services() {
    session::Services out;
    out.models = [this] {
      std::vector<session::ModelLine> lines{
          {.name = "offline/demo", .usable = true, .note = "built in"},
          {.name = "a/one",
           .usable = true,
           .images = true,
           .ends = "ends in 3 days",
           .details = "1M window"},
          {.name = "b/two", .note = "set B_KEY"}};
      if (asked) lines.push_back({.name = "c/new", .usable = true});
      return lines;
    };
    out.refresh_models = [this](const model::Ports&) { return asked = true; };
    out.model = [](std::string_view name) {
      const std::size_t slash = name.find('/');
      return model::ModelRef{std::string(name.substr(0, slash)),
                             std::string(name.substr(slash + 1))};
    };
    out.target = [](const model::ModelRef& ref) {
      return handover::target_for(handover::WireFormat::openai_chat, ref.provider, ref.model);
    };
    out.remarks = [](const model::ModelRef& ref) {
      return std::vector<std::string>{ref.model + " at " + std::string(name(ref.thinking))};
    };
    return out;
  }

  // What the screen shows for one line.
  std::string shown(const std::string& line) {
    screen->flush();
    screen.writes.clear();
    repl.handle({line});
    screen->flush();
    return screen.bytes();
  }
  std::string current() { return model::to_string(session.settings().model); }
};

}  // namespace

TEST_CASE("without a keyboard /model prints what can be used, after services were asked") {
  Scene scene;
  const std::string out = scene.shown("/model");
  CHECK(out.find("* offline/demo") != std::string::npos);
  CHECK(out.find("1M window · sees images · ends in 3 days") != std::string::npos);
  CHECK(out.find("c/new") != std::string::npos);
  CHECK(out.find("b/two") == std::string::npos);
  CHECK(out.find("1 more need a key or a server") != std::string::npos);
  CHECK(scene.shown("/model all").find("set B_KEY") != std::string::npos);
}

TEST_CASE("/model with the model in use changes nothing") {
  Scene scene;
  scene.shown("/model a/one");
  CHECK(scene.shown("/model a/one").find("a/one is the current model") != std::string::npos);
  scene.shown("/model -");
  CHECK(scene.current() == "offline/demo");
}

TEST_CASE("/model - goes back to the model before, and forth again") {
  Scene scene;
  CHECK(scene.shown("/model -").find("there was no other model before") != std::string::npos);
  CHECK(scene.shown("/model a/one").find("one at off") != std::string::npos);
  CHECK(scene.current() == "a/one");
  scene.shown("/model -");
  CHECK(scene.current() == "offline/demo");
  scene.shown("/model -");
  CHECK(scene.current() == "a/one");
}

TEST_CASE("after a restart /model - finds the model that answered before") {
  Scene scene;
  scene.shown("hello");
  scene.shown("/model a/one");
  scene.session.model_before().clear();  // as a new process has it
  scene.shown("/model -");
  CHECK(scene.current() == "offline/demo");
}

TEST_CASE("/thinking takes every level, and says what the model makes of it") {
  Scene scene;
  for (const char* level : {"minimal", "low", "medium", "high", "xhigh", "max", "off"})
    CHECK(scene.shown(std::string("/thinking ") + level).find("demo at " + std::string(level)) !=
          std::string::npos);
  CHECK(scene.shown("/thinking most").find("/thinking takes off, minimal") != std::string::npos);
}
