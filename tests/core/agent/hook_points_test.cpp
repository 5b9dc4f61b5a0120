#include "core/agent/hook_points.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/model/payloads.h"
#include "core/text/json.h"
#include "tests/support/parts.h"
#include "tests/support/stage.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using hooks::HookDefinition, hooks::Event;
using Lines = std::vector<std::string>;

namespace {

// The stage with hooks; a hook is a line of shell.
struct Hooked {
  explicit Hooked(JsonText script, std::vector<HookDefinition> definitions)
      : stage(std::move(script)),
        hooks({.definitions = std::move(definitions),
               .tools = &stage.tools,
               .workspace = dir.path().string(),
               .environment = [](const HookDefinition&) { return Lines{"PATH=/usr/bin:/bin"}; }}),
        agent(agent_parts(stage.store, stage.tools, stage.model, [&](agent::Parts& with) {
          with.clean = [](std::string text) {
            const std::size_t at = text.find("sk-secret");
            return at == std::string::npos ? text : text.replace(at, 9, "[key]");
          };
          with.hooks = &hooks;
        })) {}

  TurnEnd turn(Conversation& conversation, const std::string& prompt) {
    return agent.run_turn(conversation, model::user_message(prompt), stage.settings, stage.ports());
  }
  Lines stored(const Conversation& conversation) {
    Lines lines = lines_of(stage.stored(conversation));
    std::erase_if(lines, [](const std::string& line) {
      return line == "runtime_init" || line == "model_change";
    });
    return lines;
  }
  std::vector<model::payload::HookRun> recorded(const Conversation& conversation) {
    std::vector<model::payload::HookRun> out;
    for (const model::Entry& entry : stage.stored(conversation))
      if (auto run = model::read_as<model::payload::HookRun>(entry)) out.push_back(*run);
    return out;
  }

  TempDir dir{};
  Stage stage;
  hooks::Hooks hooks;
  Agent agent;
};

HookDefinition at_event(Event event, std::string command, std::string matcher = "") {
  return {.event = event, .matcher = std::move(matcher), .command = std::move(command)};
}

std::string decides(const std::string& word, const std::string& more = "") {
  return "echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"" + word + "\"" + more + "}}'";
}

constexpr const char* one_poke = R"([[{"call": {"id": "c1", "name": "poke"}}], "done"])";
constexpr const char* one_look = R"([[{"call": {"id": "c1", "name": "look"}}], "done"])";

}  // namespace

TEST_CASE("a hook refuses a call, the model reads why, and the log says who it was") {
  Hooked on(one_look, {at_event(Event::pre_tool_use, "echo 'not today' >&2; exit 2", "look")});
  Conversation conversation = on.stage.conversation();
  on.turn(conversation, "go");
  CHECK(on.stage.runs.empty());
  CHECK(on.stored(conversation) ==
        Lines{"user: go", "assistant: [look c1] -> tool_use", "custom hook",
              "result c1 failed: a hook refused it: not today", "assistant: done -> stop"});
  REQUIRE(on.recorded(conversation).size() == 1);
  const model::payload::HookRun run = on.recorded(conversation)[0];
  CHECK(run.event == "PreToolUse");
  CHECK(run.decision == "deny");
  CHECK(run.reason == "not today");
  CHECK(run.call == "c1");
  CHECK(run.exit == "2");
}

TEST_CASE(
    "a hook's allow takes the user's place, but never that of a rule that forbids or of plan "
    "mode") {
  {
    Hooked on(one_poke, {at_event(Event::pre_tool_use, decides("allow"))});
    Conversation conversation = on.stage.conversation();
    on.turn(conversation, "go");
    CHECK(on.stage.runs == Lines{"poke {}"});
    CHECK(on.stage.questions.empty());
    CHECK(on.recorded(conversation).at(0).decision == "allow");
  }
  for (const bool plan : {true, false}) {
    Hooked on(one_poke, {at_event(Event::pre_tool_use, decides("allow")),
                         at_event(Event::permission_request, "exit 0")});
    if (plan)
      on.stage.settings.rules.mode = permission::Mode::plan;
    else
      on.stage.settings.rules.deny = {{"poke"}};
    Conversation conversation = on.stage.conversation();
    on.turn(conversation, "go");
    CHECK(on.stage.runs.empty());
  }
}

TEST_CASE("a hook that asks is heard in every mode, and without a terminal it is a no") {
  Hooked on(one_poke, {at_event(Event::pre_tool_use,
                                decides("ask", ",\"permissionDecisionReason\":\"on a Friday?\""))});
  on.stage.settings.rules.mode = permission::Mode::bypass;
  on.stage.answer = model::Answer{model::Answer::Choice::yes};
  Conversation conversation = on.stage.conversation();
  on.turn(conversation, "go");
  REQUIRE(on.stage.questions.size() == 1);
  CHECK(on.stage.questions[0].text == "Allow poke (on a Friday?)?");
  CHECK(on.stage.questions[0].remember.empty());
  CHECK(on.stage.runs == Lines{"poke {}"});

  Hooked alone(one_poke, {at_event(Event::pre_tool_use, decides("ask"))});
  alone.stage.settings.rules.mode = permission::Mode::bypass;
  Conversation other = alone.stage.conversation();
  alone.turn(other, "go");
  CHECK(alone.stage.runs.empty());
}

TEST_CASE("a changed input is judged like the model's own, and the model is told") {
  Hooked on(one_look, {at_event(Event::pre_tool_use,
                                decides("allow", ",\"updatedInput\":{\"with\":\"care\"}"))});
  Conversation conversation = on.stage.conversation();
  on.turn(conversation, "go");
  CHECK(on.stage.runs == Lines{R"(look {"with":"care"})"});
  const Lines lines = on.stored(conversation);
  REQUIRE(lines.size() == 5);
  CHECK(lines[3].starts_with("result c1: A hook of the user's changed this call"));
  CHECK(on.recorded(conversation).at(0).input == R"({"with":"care"})");
}

TEST_CASE("a PermissionRequest hook answers where nobody is there to ask") {
  const auto answers = [](const std::string& behavior) {
    return at_event(Event::permission_request,
                    "echo '{\"hookSpecificOutput\":{\"decision\":{\"behavior\":\"" + behavior +
                        "\",\"message\":\"m\"}}}'");
  };
  Hooked yes(one_poke, {answers("allow")});
  Conversation first = yes.stage.conversation();
  yes.turn(first, "go");
  CHECK(yes.stage.runs == Lines{"poke {}"});
  Hooked no(one_poke, {answers("deny")});
  no.stage.answer = model::Answer{model::Answer::Choice::yes};
  Conversation second = no.stage.conversation();
  no.turn(second, "go");
  CHECK(no.stage.runs.empty());
  CHECK(no.stage.questions.empty());
}

TEST_CASE("a prompt that a hook refuses is neither sent nor kept") {
  Hooked on(R"(["never"])",
            {at_event(Event::user_prompt_submit, "echo 'no keys in prompts' >&2; exit 2")});
  Conversation conversation = on.stage.conversation();
  const TurnEnd end = on.turn(conversation, "my key is 123");
  CHECK(end.stop == model::Stop::error);
  CHECK(end.not_sent);
  CHECK(end.error == "not sent: a hook refused it: no keys in prompts");
  CHECK(on.stored(conversation) == Lines{"custom hook"});
  for (const model::Entry& entry : on.stage.stored(conversation))
    CHECK(entry.payload.find("123") == std::string::npos);
}

TEST_CASE("what hooks add stands before the prompt, is no prompt itself, and holds no key") {
  Hooked on(R"(["a", "b"])", {at_event(Event::session_start, "echo today is sk-secret Monday"),
                              at_event(Event::user_prompt_submit, "echo be kind")});
  Conversation conversation = on.stage.conversation();
  on.turn(conversation, "first");
  on.turn(conversation, "second");
  CHECK(on.stored(conversation) == Lines{"user: today is [key] Monday", "user: be kind",
                                         "user: first", "assistant: a -> stop", "user: be kind",
                                         "user: second", "assistant: b -> stop"});
  CHECK(conversation.state().messages == 2);
  CHECK(conversation.state().title == "first");
  for (const model::Entry& entry : on.stage.stored(conversation))
    if (model::is_from_hook(entry)) CHECK(entry.meta.find("\"hook:") != std::string::npos);
}

TEST_CASE("a Stop hook lets the turn go on, but not for ever") {
  std::string script = "[";
  for (int i = 0; i < 20; ++i) script += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\"";
  Hooked on(script + "]", {at_event(Event::stop, "echo 'run the tests' >&2; exit 2")});
  Conversation conversation = on.stage.conversation();
  const TurnEnd end = on.turn(conversation, "go");
  CHECK(end.stop == model::Stop::stop);
  CHECK(end.calls == 9);
  CHECK(end.text == "8");
  CHECK(std::ranges::count(on.stored(conversation), "user: run the tests") == 8);
  CHECK(conversation.state().messages == 1);
}

TEST_CASE("a result may be commented on or replaced, and the log keeps the original") {
  Hooked on(one_look, {at_event(Event::post_tool_use,
                                "echo '{\"decision\":\"block\",\"reason\":\"lint "
                                "fails\",\"hookSpecificOutput\":{\"updatedToolOutput\":"
                                "\"nothing to see\"}}'")});
  Conversation conversation = on.stage.conversation();
  on.turn(conversation, "go");
  const Lines lines = on.stored(conversation);
  CHECK(std::ranges::find(
            lines, "result c1: nothing to seeThe user's hook says about this result: lint fails") !=
        lines.end());
  CHECK(on.recorded(conversation).at(0).original == "done");
}

TEST_CASE("a call that fails is PostToolUseFailure's, and no other's") {
  Hooked on(R"([[{"call": {"id": "c1", "name": "fail"}}], "done"])",
            {at_event(Event::post_tool_use, "touch wrong"),
             at_event(Event::post_tool_use_failure, "cat > failure")});
  Conversation conversation = on.stage.conversation();
  on.turn(conversation, "go");
  CHECK(!std::filesystem::exists(on.dir / "wrong"));
  const Json seen = parse_json(read_file(on.dir / "failure")).value();
  CHECK(string_at(seen, "error") == "it fell over");
}

TEST_CASE("a hook that wants the turn to end ends it, and every call is answered") {
  Hooked on(
      R"([[{"call": {"id": "c1", "name": "look"}}, {"call": {"id": "c2", "name": "look"}}],
               "never"])",
      {at_event(Event::post_tool_use, "echo '{\"continue\":false,\"stopReason\":\"enough\"}'")});
  Conversation conversation = on.stage.conversation();
  const TurnEnd end = on.turn(conversation, "go");
  CHECK(end.error == "a hook ended the turn: enough");
  CHECK(end.calls == 1);
  CHECK(on.stage.runs.size() == 1);
  CHECK(store::unanswered_calls(on.stage.stored(conversation)).empty());
}

TEST_CASE("a hook that fails is told and takes nothing with it") {
  for (const char* failing : {"exit 1", "kill -KILL $$", "echo '{\"broken'", "exec /nowhere"}) {
    Hooked on(one_look,
              {at_event(Event::pre_tool_use, failing), at_event(Event::post_tool_use, failing),
               at_event(Event::stop, failing), at_event(Event::user_prompt_submit, failing),
               at_event(Event::notification, failing)});
    Conversation conversation = on.stage.conversation();
    const TurnEnd end = on.turn(conversation, "go");
    CAPTURE(failing);
    CHECK(end.stop == model::Stop::stop);
    CHECK(on.stage.runs.size() == 1);
    CHECK(on.stage.notices().size() == 5);
    CHECK(on.recorded(conversation).size() == 5);
  }
}

TEST_CASE("the end of a session is told once, if it had begun") {
  Hooked on(R"(["a"])", {at_event(Event::session_end, "cat >> ends")});
  Conversation conversation = on.stage.conversation();
  const model::Ports ports = on.stage.ports();
  Turn outside{conversation, on.stage.settings, ports};
  on.agent.hooks().session_ends(outside, "quit");
  CHECK(!std::filesystem::exists(on.dir / "ends"));
  on.turn(conversation, "go");
  on.agent.hooks().session_ends(outside, "quit");
  on.agent.hooks().session_ends(outside, "quit");
  const std::string seen = read_file(on.dir / "ends");
  CHECK(std::ranges::count(seen, '\n') == 1);
  CHECK(seen.find("\"reason\":\"quit\"") != std::string::npos);
}

TEST_CASE("a hook can keep the model, and hears what another would lose") {
  Hooked on(R"(["a"])", {at_event(Event::pre_model_switch, "cat > switch; echo no >&2; exit 2")});
  Conversation conversation = on.stage.conversation();
  const model::Ports ports = on.stage.ports();
  Turn outside{conversation, on.stage.settings, ports};
  CHECK(on.agent.hooks().before_model(outside, {"other", "m"}, {"images"}) ==
        "a hook refused it: no");
  const Json seen = parse_json(read_file(on.dir / "switch")).value();
  CHECK(string_at(seen, "to_model") == "other/m");
  CHECK(string_at(seen, "from_model") == "scripted/x");
  CHECK(at(seen, "losses").size() == 1);
}

TEST_CASE("a summary that a hook does not want is not made") {
  Hooked on(R"(["a"])", {at_event(Event::pre_compact, "echo keep it >&2; exit 2", "manual")});
  Conversation conversation = on.stage.conversation();
  on.turn(conversation, "go");
  const Compacted compacted =
      on.agent.compact(conversation, "", on.stage.settings, on.stage.ports());
  CHECK(!compacted.done);
  CHECK(compacted.why_not == "a hook refused it: keep it");
}

TEST_CASE("^C during a hook stops the hook and the turn") {
  Hooked on(one_look, {at_event(Event::pre_tool_use, "sleep 30")});
  Conversation conversation = on.stage.conversation();
  on.stage.listener = [&](const model::Event& event) {
    if (std::holds_alternative<model::ToolStarted>(event)) on.stage.stop = true;
  };
  const std::int64_t start = now_ms();
  const TurnEnd end = on.turn(conversation, "go");
  CHECK(end.stop == model::Stop::aborted);
  CHECK(now_ms() - start < 10'000);
  CHECK(on.stage.runs.empty());
  CHECK(store::unanswered_calls(on.stage.stored(conversation)).empty());
}

TEST_CASE("a call that the user stops is PostToolUseFailure's too, and the hook runs to its end") {
  Hooked on(R"([[{"call": {"id": "c1", "name": "fail"}}], "done"])",
            {at_event(Event::post_tool_use_failure, "cat > failure; sleep 0.2; touch whole")});
  Conversation conversation = on.stage.conversation();
  const auto tool = std::ranges::find(on.stage.tools, "fail", &model::Tool::name);
  tool->run = [&, run = tool->run](const JsonText& input, const model::ToolPorts& ports) {
    on.stage.stop = true;
    return run(input, ports);
  };
  const TurnEnd end = on.turn(conversation, "go");
  CHECK(end.stop == model::Stop::aborted);
  CHECK(parse_json(read_file(on.dir / "failure")).value().at("is_interrupt") == true);
  CHECK(std::filesystem::exists(on.dir / "whole"));
}
