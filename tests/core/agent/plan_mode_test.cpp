#include "core/agent/plan_mode.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/plan/presented.h"
#include "core/plan/todo_list.h"
#include "core/tools/tools.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using Lines = std::vector<std::string>;
using Verdict = model::PlanReview::Verdict;

namespace {

// A stage with the three tools, and a user who says what is set here.
struct Planning : Stage {
  explicit Planning(JsonText script) : Stage(std::move(script)) {
    for (model::Tool (*const make)() :
         {skein::tools::todo_tool, skein::tools::ask_tool, skein::tools::present_plan_tool})
      tools.push_back(make());
    settings.rules.mode = permission::Mode::plan;
  }
  model::Ports attended() {
    model::Ports out = ports();
    out.inquire = [this](const model::Inquiry& inquiry) {
      inquiries.push_back(inquiry);
      return said;
    };
    out.review = [this](const model::Plan& plan) {
      plans.push_back(plan);
      return review;
    };
    return out;
  }
  TurnEnd say(Conversation& conversation, const std::string& prompt) {
    return agent.run_turn(conversation, model::user_message(prompt), settings, attended());
  }

  std::optional<std::string> said{};
  model::PlanReview review{};
  std::vector<model::Inquiry> inquiries{};
  std::vector<model::Plan> plans{};
};

constexpr const char* presents = R"([{"call": {"id": "p1", "name": "present_plan",
  "input": {"plan": "# Dates\n\n1. test\n2. parse\n"}}}])";
constexpr const char* asks = R"([{"call": {"id": "q1", "name": "ask", "input": {"questions":
  [{"question": "Which?", "options": [{"label": "a"}, {"label": "b"}]}]}}},
  {"call": {"id": "q2", "name": "look"}}])";

std::size_t told(const Lines& lines, const std::string& opening) {
  return static_cast<std::size_t>(
      std::ranges::count_if(lines, [&](auto& line) { return line.starts_with(opening); }));
}

}  // namespace

TEST_CASE("plan mode is told once, in a message, when it begins and when it ends") {
  Planning stage(R"(["1", "2", "3", "4"])");
  Conversation conversation = stage.conversation();
  stage.say(conversation, "a");
  stage.say(conversation, "b");
  CHECK(told(lines_of(stage.stored(conversation)), "user: Plan mode is on") == 1);
  CHECK(stage.contexts.front().system == "be brief");
  stage.settings.rules.mode = permission::Mode::normal;
  stage.say(conversation, "c");
  stage.say(conversation, "d");
  CHECK(told(lines_of(stage.stored(conversation)), "user: Plan mode is over") == 1);
  CHECK(told(lines_of(stage.stored(conversation)), "runtime_init") == 1);
}

TEST_CASE("whatever changes something is refused in plan mode, whoever allows it") {
  permission::Rules rules{.mode = permission::Mode::plan};
  rules.sandboxed = true;
  for (const model::Tool& tool : skein::tools::tool_table()) {
    rules.allow.push_back({tool.name});
    CAPTURE(tool.name);
    const permission::Decision decision = permission::decide(
        rules, skein::tools::tool_table(),
        {"", tool.name, R"({"command":"touch a","path":"a","url":"https://a.example"})"});
    CHECK((decision.verdict == permission::Decision::Verdict::deny) ==
          (tool.effect != model::Effect::reads));
  }
}

TEST_CASE("an approved plan lets the model go on, in the mode that the user chose") {
  Planning stage("[" + std::string(presents) + R"(, [{"call": {"id": "c1", "name": "poke"}}],
    "done"])");
  stage.review = {Verdict::accept_edits, "# Dates\n\n1. test\n2. parse\n"};
  stage.answer = model::Answer{model::Answer::Choice::yes};
  Conversation conversation = stage.conversation();

  CHECK(stage.say(conversation, "plan it").stop == model::Stop::stop);

  CHECK(stage.settings.rules.mode == permission::Mode::accept_edits);
  CHECK(stage.runs == Lines{"poke {}"});
  CHECK(conversation.state().title == "Dates");
  CHECK(plan::todo_lines(plan::todo_on(conversation.path(), {})) == "[ ] test\n[ ] parse\n");
  stage.say(conversation, "and now");  // the script is over
  CHECK(told(lines_of(stage.stored(conversation)), "user: Plan mode is over") == 0);
}

TEST_CASE("without the user's word nothing leaves plan mode") {
  for (const bool attended : {true, false}) {
    CAPTURE(attended);
    Planning stage("[" + std::string(presents) + R"(, [{"call": {"id": "c1", "name": "poke"}}],
      "done"])");
    stage.review = {Verdict::not_yet, "smaller"};
    stage.settings.rules.allow.push_back({"poke"});
    Conversation conversation = stage.conversation();
    attended ? stage.say(conversation, "plan it") : stage.turn(conversation, "plan it");
    CHECK(stage.plans.size() == (attended ? 1 : 0));
    CHECK(stage.settings.rules.mode == permission::Mode::plan);
    CHECK(stage.runs.empty());
  }
}

TEST_CASE("a plan presented outside of plan mode is none") {
  Planning stage("[" + std::string(presents) + R"(, "done"])");
  stage.settings.rules.mode = permission::Mode::normal;
  stage.review = {Verdict::accept_edits, "x"};
  Conversation conversation = stage.conversation();
  stage.say(conversation, "go");
  CHECK(stage.plans.empty());
  CHECK(stage.settings.rules.mode == permission::Mode::normal);
}

TEST_CASE("a fresh start begins a branch that has only the plan") {
  Planning stage("[" + std::string(presents) + R"(, "unused", "done"])");
  stage.review = {Verdict::fresh, "1. only this"};
  Conversation conversation = stage.conversation();
  const TurnEnd end = stage.say(conversation, "plan it");
  CHECK(end.stop == model::Stop::stop);
  CHECK(end.calls == 1);
  REQUIRE(end.new_branch_prompt.find("1. only this") != std::string::npos);

  conversation.begin_branch();
  stage.agent.run_turn(conversation,
                       {model::user_message(end.new_branch_prompt), end.new_branch_meta, {}},
                       stage.settings, stage.attended());
  REQUIRE(stage.contexts.back().messages.size() == 1);
  CHECK(model::plain_text(stage.contexts.back().messages.front()) == end.new_branch_prompt);
  CHECK(plan::todo_lines(plan::todo_on(conversation.path(), {})) == "[ ] only this\n");
  Conversation again(stage.store, conversation.session());
  CHECK(again.head() == conversation.head());
  CHECK(lines_of(again.path()) == lines_of(conversation.path()));
}

TEST_CASE("an answer to a question goes to the model; without one the turn ends and waits") {
  Planning stage("[" + std::string(asks) + R"(, "done"])");
  stage.said = "b";
  Conversation conversation = stage.conversation();
  CHECK(stage.say(conversation, "go").stop == model::Stop::stop);
  CHECK(stage.inquiries.size() == 1);
  CHECK(told(lines_of(stage.stored(conversation)), "result q1: Which?\n→ b") == 1);

  Planning silent("[" + std::string(asks) + R"(, "never said"])");
  Conversation other = silent.conversation();
  CHECK(silent.say(other, "go").stop == model::Stop::aborted);
  const Lines lines = lines_of(silent.stored(other));
  CHECK(told(lines, "result q1 failed: Which?\n→ no answer\nthe user did not answer") == 1);
  CHECK(lines.back() == "result q2 failed: not run: the user ended the turn first");
  CHECK(silent.contexts.size() == 1);
}

TEST_CASE("with nobody there the model is told to decide itself") {
  Planning stage("[" + std::string(asks) + R"(, "done"])");
  Conversation conversation = stage.conversation();
  CHECK(stage.turn(conversation, "go").stop == model::Stop::stop);
  CHECK(told(lines_of(stage.stored(conversation)),
             "result q1 failed: no user can be asked; decide yourself") == 1);
}

TEST_CASE("a question that a crash left open is asked again, and so is a plan") {
  Planning stage("[" + std::string(asks) + R"(, "done"])");
  stage.said = "a";
  Conversation conversation = stage.conversation();
  stage.say(conversation, "go");
  // As if it had ended after the answer of the model was written.
  const std::vector<model::Entry> path = conversation.path();
  const auto answer = std::ranges::find_if(
      path, [](const model::Entry& entry) { return line_of(entry).starts_with("assistant:"); });
  conversation.move_head(answer->id);
  stage.said = "b";
  Settings later = stage.settings;
  later.rules.mode = permission::Mode::normal;
  CHECK(stage.agent.recovery().recover(conversation, later, stage.attended()).calls == 2);
  CHECK(stage.inquiries.size() == 2);
  CHECK(told(lines_of(conversation.path()), "result q1: Which?\n→ b") == 1);

  Planning plans("[" + std::string(presents) + R"(, "done"])");
  Conversation other = plans.conversation();
  plans.review = {Verdict::not_yet, "later"};
  plans.say(other, "go");
  const std::vector<model::Entry> before = other.path();
  const auto presented = std::ranges::find_if(
      before, [](const model::Entry& entry) { return line_of(entry).starts_with("assistant:"); });
  other.move_head(presented->id);
  plans.review = {Verdict::accept_edits, "1. x"};
  Settings restarted = plans.settings;
  restarted.rules.mode = permission::Mode::normal;
  CHECK(plans.agent.recovery().recover(other, restarted, plans.attended()).calls == 1);
  CHECK(plans.plans.size() == 2);
  CHECK(restarted.rules.mode == permission::Mode::accept_edits);
}

TEST_CASE("in plan mode another model may answer, and the chosen one comes back") {
  Planning stage("[" + std::string(presents) + R"(, "done", "next"])");
  stage.settings.plan_model = model::ModelRef{"planner", "p"};
  stage.review = {Verdict::carry_out, "1. x"};
  Conversation conversation = stage.conversation();
  stage.say(conversation, "plan it");
  Lines models;
  for (const model::Entry& entry : stage.stored(conversation))
    if (entry.type == model::type::model_change)
      models.push_back(entry.payload.substr(0, entry.payload.find(",\"model")));
  CHECK(models == Lines{R"({"provider":"planner")", R"({"provider":"scripted")"});
  CHECK(stage.settings.model.provider == "scripted");
  CHECK(conversation.state().model.starts_with("scripted/"));
  const Lines notices = stage.notices();
  CHECK(std::ranges::count(notices, "planner/p answers while plan mode is on (plan-model)") == 1);
  CHECK(std::ranges::count(notices, "scripted/x answers again") == 1);
}

TEST_CASE("what is left to do is told where a session is taken up again, once") {
  Planning stage(R"([[{"call": {"id": "t1", "name": "todo", "input": {"items":
    [{"text": "a", "state": "done"}, {"text": "b", "state": "pending"}]}}}],
    "1", "2", "3", "4"])");
  Conversation conversation = stage.conversation();
  stage.say(conversation, "go");
  CHECK(told(lines_of(stage.stored(conversation)), "result t1: ok, 1 of 2 done") == 1);
  stage.say(conversation, "more");
  CHECK(told(lines_of(stage.stored(conversation)), "user: Left to do") == 0);
  for (int i = 0; i < 2; ++i) {
    Agent later(agent_parts(stage.store, stage.tools, stage.model));
    later.run_turn(conversation, model::user_message("again"), stage.settings, stage.ports());
    CHECK(told(lines_of(stage.stored(conversation)), "user: Left to do") == 1);
  }
}
