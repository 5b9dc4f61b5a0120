#include <doctest/doctest.h>

#include <algorithm>

#include "core/agent/agent.h"
#include "core/text/json.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

// A stage with a shell that notes what it is given and ends as it is told.
struct ShellStage : Stage {
  explicit ShellStage(JsonText script = R"(["done"])") : Stage(std::move(script)) {
    tools.push_back({.name = "bash",
                     .description = "for tests",
                     .schema = R"({"type":"object"})",
                     .effect = model::Effect::runs,
                     .argument = {model::Argument::Kind::command, "command"},
                     .title = [](const JsonText&) { return std::string("bash"); },
                     .run =
                         [this](const JsonText& input, const model::ToolPorts&) {
                           runs.push_back("bash " +
                                          string_at(parse_json(input).value(), "command"));
                           model::ToolOutcome outcome = model::tool_text("printed");
                           outcome.exit_status = status;
                           return outcome;
                         }});
  }
  int status = 0;
};

permission::Rules with(permission::Mode mode) {
  permission::Rules rules;
  rules.mode = mode;
  return rules;
}

}  // namespace

TEST_CASE("a command of the user's own is judged as if the model had called it") {
  ShellStage stage;
  const CallRunner::OwnRun nobody = stage.agent.calls().run_own("make", {}, {}, stage.ports());
  CHECK(!nobody.run);
  CHECK(nobody.text.find("no terminal to ask") != std::string::npos);
  CHECK(!stage.agent.calls().run_own("make", {}, with(permission::Mode::plan), stage.ports()).run);

  permission::Rules denied = with(permission::Mode::bypass);
  denied.deny.push_back({"bash", "make"});
  CHECK(stage.agent.calls().run_own("make", {}, denied, stage.ports()).text == "a rule forbids it");
  CHECK(stage.runs.empty());

  stage.answer = model::Answer{model::Answer::Choice::no};
  CHECK(!stage.agent.calls().run_own("make", {}, {}, stage.ports()).run);
  stage.answer = model::Answer{model::Answer::Choice::yes};
  stage.status = 3;
  const CallRunner::OwnRun agreed = stage.agent.calls().run_own("make", {}, {}, stage.ports());
  CHECK(agreed.run);
  CHECK(agreed.text == "printed");
  CHECK(agreed.status == 3);
  CHECK(stage.runs == Lines{"bash make"});
  REQUIRE(stage.questions.size() == 2);
  CHECK(stage.questions[1].detail == "make");
  CHECK(stage.questions[1].remember.empty());
}

TEST_CASE("a text gives its own commands the rules it asks for, as far as they can be read") {
  ShellStage stage;
  Agent agent(agent_parts(stage.store, stage.tools, stage.model, [&](agent::Parts& with) {
    with.no_sandbox = [] { return std::string{}; };
  }));
  CHECK(!agent.calls().run_own("git log", {"Bash(git diff:*)", "x("}, {}, stage.ports()).run);
  CHECK(agent.calls().run_own("git log -1", {"x(", "Bash(git log:*)"}, {}, stage.ports()).run);
}

TEST_CASE("a prompt that a command made is kept with what was typed, and shown by it") {
  Stage stage(R"(["done"])");
  Conversation conversation = stage.conversation();
  stage.agent.run_turn(conversation,
                       {model::user_message("all the words"),
                        model::command_meta("review", "sk-secret", "/p", "0"),
                        {}},
                       stage.settings, stage.ports());
  const std::vector<model::Entry> entries = stage.stored(conversation);
  const auto prompt = std::ranges::find_if(
      entries, [](const model::Entry& entry) { return line_of(entry) == "user: all the words"; });
  REQUIRE(prompt != entries.end());
  CHECK(model::typed_command(*prompt) == "/review [key]");
  CHECK(model::preview(*prompt, 60) == "/review [key]");
  CHECK(conversation.state().title == "/review [key]");
}

TEST_CASE("rules that a text brings hold for its turn alone, and never against a denial") {
  constexpr const char* script = R"([[{"call": {"id": "c1", "name": "poke"}}], "done",
                                     [{"call": {"id": "c2", "name": "poke"}}], "done",
                                     [{"call": {"id": "c3", "name": "poke"}}], "done"])";
  Stage stage(script);
  Conversation conversation = stage.conversation();
  const Agent::Prompt lending{model::user_message("go"), "", {"Poke", "no such rule("}};
  stage.agent.run_turn(conversation, lending, stage.settings, stage.ports());
  CHECK(stage.runs == Lines{"poke {}"});
  CHECK(stage.settings.rules.allow.empty());
  const Lines notices = stage.notices();
  CHECK(std::ranges::any_of(notices, [](const std::string& text) {
    return text.starts_with("the rule no such rule( is not applied");
  }));
  stage.turn(conversation, "again");
  CHECK(stage.runs.size() == 1);
  stage.settings.rules.deny.push_back({"poke"});
  stage.agent.run_turn(conversation, lending, stage.settings, stage.ports());
  CHECK(stage.runs.size() == 1);
}

TEST_CASE("a tool can lend rules too, and learn whether the model was told something before") {
  constexpr const char* script = R"([[{"call": {"id": "c1", "name": "skill"}}],
                                     [{"call": {"id": "c2", "name": "poke"}}],
                                     [{"call": {"id": "c3", "name": "skill"}}], "done"])";
  Stage stage(script);
  std::vector<bool> said;
  stage.tools.push_back({.name = "skill",
                         .description = "for tests",
                         .schema = R"({"type":"object"})",
                         .effect = model::Effect::reads,
                         .title = [](const JsonText&) { return std::string("skill"); },
                         .run =
                             [&](const JsonText&, const model::ToolPorts& ports) {
                               said.push_back(ports.was_said("how it is done"));
                               model::ToolOutcome outcome = model::tool_text("how it is done");
                               outcome.temporary_rules = {"poke"};
                               return outcome;
                             }});
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "go");
  CHECK(stage.runs == Lines{"poke {}"});
  CHECK(said == std::vector<bool>{false, true});
  CHECK(stage.settings.rules.allow.empty());
}
