#include <doctest/doctest.h>

#include "core/tools/tools.h"
#include "tests/support/prompt_scene.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::test;

namespace {

struct PricedModels : session::Models {
  insights::Prices prices() const override {
    return [](const std::string& model, const model::Usage&) {
      return model == "new/model" ? std::nullopt : std::optional(session::Cost{0.25});
    };
  }
};
PricedModels priced{};

struct Scene : DemoScene {
  Scene() : DemoScene({.tools = &tools, .models = &priced}) {}
};

model::Tool shown_call(const std::string& name, const char* argument, std::size_t bytes) {
  model::Tool tool = shown_tool(name, model::Effect::reads);
  tool.schema = R"({"type":"object"})";
  if (*argument != '\0') tool.argument = {model::Argument::Kind::file, argument};
  tool.title = [name](const JsonText& input) {
    return name + (input.find("src/a.c") != JsonText::npos ? " src/a.c" : "");
  };
  tool.run = [bytes](const JsonText&, const model::ToolPorts&) {
    return model::tool_text(std::string(bytes, 'x'));
  };
  return tool;
}

struct DroppingScene : Stage, PromptScene {
  DroppingScene()
      : Stage(R"([[{"call": {"id": "c1", "name": "read", "input": {"path": "src/a.c"}}},
                   {"call": {"id": "c2", "name": "bash"}},
                   {"call": {"id": "c3", "name": "ask", "input": {"agent": "reviewer"}}},
                   {"call": {"id": "c4", "name": "grep", "input": {"path": "./src/a.c"}}}], "seen"])"),
        PromptScene({.store = store,
                     .agent = agent,
                     .stop = stop,
                     .settings = settings,
                     .services = {.tools = &tools, .models = &priced}}) {
    tools = {shown_call("read", "path", 8000), shown_call("bash", "", 4000),
             shown_call("ask", "", 2000), shown_call("grep", "path", 1000)};
    tools[2].delegates = true;
  }
};

}  // namespace

TEST_CASE("/context shows what fills the window") {
  Scene scene;
  scene.shown("hello");
  const std::string table = scene.shown("/context");
  CHECK(table.starts_with("offline/demo: "));
  CHECK(table.find("about") == std::string::npos);
  CHECK(table.find(" of 32.0k tokens, <1%; estimated by part:\n  [#*...") != std::string::npos);
  for (const char* row :
       {"  # system ", "  * messages ", "  - reserved for answer    4.0k   12%\n"})
    CHECK(table.find(row) != std::string::npos);
  for (const char* nothing : {"% tools", "= summary", "+ tool results"})
    CHECK(table.find(nothing) == std::string::npos);
  CHECK(table.ends_with("summarized automatically at 85% of the window, or with /compact\n"));
}

TEST_CASE("/context says where the tokens go, and /context drop leaves a result out") {
  DroppingScene scene;
  CHECK(has(scene.shown("/context drop 1"), "error: usage: /context drop N"));
  scene.shown("look around");
  const std::string shown = scene.shown("/context");
  // The results about one file are counted together; the largest is first.
  const std::size_t file = shown.find("src/a.c"), command = shown.find("tool bash"),
                    agent = shown.find("sub-agent reviewer");
  REQUIRE(agent != std::string::npos);
  CHECK(file < command);
  CHECK(command < agent);
  CHECK(has(shown, " 2  src/a.c "));
  CHECK(has(shown, " 1  read src/a.c "));
  CHECK(has(shown, "$0.25"));
  CHECK(has(shown, "  /context drop N leaves a result out of what is sent\n"));

  const auto before = scene.session.context().context.messages;
  const std::string dropped = scene.shown("/context drop 1");
  const std::size_t cost = dropped.find("without the result of read src/a.c, every call sends ");
  REQUIRE(cost != std::string::npos);
  CHECK(dropped.find("the next call reads ") > cost);
  CHECK(dropped.find("dropped; the session keeps the result") > cost);
  const auto after = scene.session.context().context.messages;
  REQUIRE(after.size() == before.size());
  const auto& result = std::get<model::ToolResult>(after[2].content.front());
  CHECK(model::plain_text(result).starts_with("[a result of "));
  CHECK(model::plain_text(result).ends_with(" tokens, dropped by the user]"));
  CHECK(has(scene.shown("/context drop 1"), "error: usage"));  // it is not sent any more

  CHECK(scene.shown("/undo").starts_with("the model sees the result again"));
  CHECK(scene.session.context().context.messages == before);
  CHECK(scene.shown("/undo") == "went back to before: look around\n");
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
  for (const char* row :
       {"  read      reads      ", "  bash      runs       ", "  ask       asks you   ",
        "  todo      plans      Keep a to-do list", "  job_stop  stops      Stop a job",
        "  agent     delegates  Ask another"})
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
        "The last prompts of this branch:\n"
        "  prompt       input  cached  output  cost\n"
        "  how are you   2.0k     75%   12.3k  $0.25\n"
        "  and now        100      0%       1  unknown\n"
        "\n"
        "The whole session, all branches:\n"
        "  model             input  cached  output  cost\n"
        "  anthropic/claude   2.0k     75%   12.3k  $0.25\n"
        "  new/model           100      0%       1  unknown\n"
        "  total              2.1k     71%   12.3k  at least $0.25\n"
        "  2 prompts, 0 tool calls, 3.0 s of answers\n");
  CHECK(scene.shown("/status").find("at least $0.25") != std::string::npos);
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

TEST_CASE("/redact tells of summaries that may repeat what it masks") {
  Scene scene;
  for (int i = 0; i < 12; ++i)
    scene.shown("remember number " + std::to_string(i) + std::string(4000, 'x'));
  CHECK(scene.shown("/redact #1").find("may repeat") == std::string::npos);
  REQUIRE(scene.shown("/compact").find("summarized: ") != std::string::npos);
  CHECK(scene.shown("/redact #2").find("may repeat the text in other words") != std::string::npos);
}
