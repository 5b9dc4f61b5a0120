#include <doctest/doctest.h>

#include <atomic>

#include "core/store/home/file_backend.h"
#include "core/tools/tools.h"
#include "providers/offline/offline.h"
#include "repl/repl.h"
#include "tests/support/homes.h"
#include "tests/support/recorded_screen.h"

using namespace skein;
using namespace skein::test;

namespace {

// A prompt whose screen is remembered.
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
       .services = {.tools = &tools, .cost = [](const std::string& model, const model::Usage&) {
                      return model == "new/model" ? std::nullopt
                                                  : std::optional(session::Cost{0.25});
                    }}}};
  repl::Repl repl{session, input};

  Scene() { session.open(session_called(store, "main:cli:user")); }
  // What the screen shows for one line.
  std::string shown(const std::string& line) {
    screen->flush();
    screen.writes.clear();
    repl.handle({line});
    screen->flush();
    return screen.bytes();
  }
};

}  // namespace

TEST_CASE("/context shows what fills the window") {
  Scene scene;
  scene.shown("hello");
  const std::string table = scene.shown("/context");
  CHECK(table.starts_with("offline/demo: about "));
  CHECK(table.find(" of 32.0k tokens, <1%\n  [#*...") != std::string::npos);
  for (const char* row :
       {"  # system ", "  * messages ", "  - reserved for answer    4.0k   12%\n"})
    CHECK(table.find(row) != std::string::npos);
  for (const char* nothing : {"% tools", "= summary", "+ tool results"})
    CHECK(table.find(nothing) == std::string::npos);
  CHECK(table.ends_with("summarized automatically at 85% of the window, or with /compact\n"));
}

TEST_CASE("/tools says what each tool does, as it says of itself") {
  Scene scene;
  scene.tools = {shown_tool("read", model::Effect::reads),
                 shown_tool("bash", model::Effect::runs),
                 shown_tool("ask", model::Effect::reads),
                 tools::todo_tool(),
                 tools::job_stop_tool({}),
                 tools::agent_tool({})};
  scene.tools[2].asks_user = true;
  const std::string table = scene.shown("/tools");
  for (const char* row : {"  read      reads      ", "  bash      runs       ",
                          "  ask       asks you   ", "  todo      plans      Keep a list",
                          "  job_stop  stops      End a job", "  agent     delegates  Ask another"})
    CHECK(table.find(row) != std::string::npos);
}

TEST_CASE("/usage says what each prompt and each model cost") {
  Scene scene;
  CHECK(scene.shown("/usage") == "no model has been used yet\n");
  const auto reply = [](const char* provider, const char* model, model::Usage usage) {
    return store::NewEntry{model::message_entry({.role = model::Role::assistant,
                                                 .content = {model::Text{"a"}},
                                                 .provider = provider,
                                                 .model = model,
                                                 .usage = usage,
                                                 .duration_ms = 1500})};
  };
  append(scene.store, scene.session.conversation().session(),
         {user_says("how are you"),
          reply("anthropic", "claude", {.input = 500, .output = 12'345, .cache_read = 1500}),
          user_says("and now"), reply("new", "model", {.input = 100, .output = 1})});
  scene.session.open(scene.session.conversation().session());
  CHECK(scene.shown("/usage") ==
        "  the last prompts of this branch  input  cached  output  cost\n"
        "  how are you                       2.0k     75%   12.3k  $0.25\n"
        "  and now                            100      0%       1  unknown\n"
        "\n"
        "  the whole session, all branches  input  cached  output  cost\n"
        "  anthropic/claude                  2.0k     75%   12.3k  $0.25\n"
        "  new/model                          100      0%       1  unknown\n"
        "  total                             2.1k     71%   12.3k  at least $0.25\n"
        "  2 prompts, 0 tool calls, 3.0 s of answers\n");
}

TEST_CASE("/compact summarizes and /undo reverts it") {
  Scene scene;
  CHECK(scene.shown("/compact") ==
        "error: nothing was summarized: there is too little to summarize yet\n");
  for (const char* line : {"hello", "what can you do", "tell me more", "and now", "thank you"})
    scene.shown(line);
  const std::vector<model::Message> before = scene.session.context().context.messages;
  const std::string summary = "  = summary ";
  CHECK(scene.shown("/context").find(summary) == std::string::npos);
  CHECK(scene.shown("/compact").find("/undo reverts it") != std::string::npos);
  CHECK(scene.session.context().context.messages != before);
  CHECK(scene.shown("/context").find(summary) != std::string::npos);
  CHECK(scene.shown("/undo").starts_with("undid the summary"));
  CHECK(scene.session.context().context.messages == before);
  CHECK(scene.shown("/undo") == "went back to before: thank you\n");
}

TEST_CASE("/redact tells of summaries that may retell what it masks") {
  Scene scene;
  for (int i = 0; i < 12; ++i)
    scene.shown("remember number " + std::to_string(i) + std::string(4000, 'x'));
  CHECK(scene.shown("/redact #1").find("may retell") == std::string::npos);
  REQUIRE(scene.shown("/compact").find("summarized: ") != std::string::npos);
  CHECK(scene.shown("/redact #2").find("may retell it in other words") != std::string::npos);
}
