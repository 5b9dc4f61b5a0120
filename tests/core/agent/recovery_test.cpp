// What a crash leaves behind, and how a turn goes on from there.
#include <doctest/doctest.h>

#include "core/agent/agent.h"
#include "tests/support/homes.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

constexpr const char* interrupted =
    "interrupted: skein ended before this call had a result; it may have run in part";

model::Entry said(const std::vector<model::ToolUse>& calls) {
  model::Message message{.role = model::Role::assistant,
                         .provider = "scripted",
                         .model = "x",
                         .stop = model::Stop::tool_use};
  for (const model::ToolUse& call : calls) message.content.emplace_back(call);
  return model::message_entry(message);
}
model::Entry answered(const std::string& id) {
  model::Message message{.role = model::Role::tool};
  message.content = {model::ToolResult{id, {model::Text{"done"}}}};
  return model::message_entry(message);
}

// A session as a crash left it.
Conversation crashed(Stage& stage, const std::vector<model::Entry>& entries) {
  Conversation conversation = stage.conversation();
  std::vector<model::Entry> all{model::message_entry(model::user_message("go"))};
  all.insert(all.end(), entries.begin(), entries.end());
  value_of(conversation.append(all));
  return Conversation(stage.store, conversation.session());
}

}  // namespace

TEST_CASE("calls a crash left open are marked once, and what had an answer is left alone") {
  Stage stage("[]");
  Conversation conversation =
      crashed(stage, {said({{"c1", "look"}, {"c2", "poke"}, {"c3", "gone"}}), answered("c1")});

  CHECK(test::recover(stage.agent, conversation, stage.ports()) == 2);
  CHECK(test::recover(stage.agent, conversation, stage.ports()) == 0);

  CHECK(lines_of(stage.stored(conversation)) ==
        Lines{"user: go", "assistant: [look c1][poke c2][gone c3] -> tool_use", "result c1: done",
              std::string("result c2 failed: ") + interrupted,
              std::string("result c3 failed: ") + interrupted});
  CHECK(stage.runs == Lines{});
}

TEST_CASE("after a crash only what reads is offered again, and run only after a yes") {
  for (const auto choice : {model::Answer::Choice::yes, model::Answer::Choice::no}) {
    Stage stage("[]");
    stage.answer = model::Answer{choice};
    Conversation conversation = crashed(stage, {said({{"c1", "poke"}, {"c2", "look"}})});

    CHECK(test::recover(stage.agent, conversation, stage.ports()) == 2);

    CHECK(stage.questions.size() == 1);
    CHECK(stage.runs == (choice == model::Answer::Choice::yes ? Lines{"look {}"} : Lines{}));
    CHECK(store::unanswered_calls(conversation.path()).empty());
  }
}

TEST_CASE("a crash at step 50 goes on at step 51") {
  std::string script = "[";
  for (int step = 1; step <= 60; ++step)
    script += R"([{"call": {"id": "c)" + std::to_string(step) +
              R"(", "name": "look", "input": {"step": )" + std::to_string(step) + "}}}],";
  script += R"("finished"])";

  Stage before(script);
  Conversation first = before.conversation();
  struct Crash {};
  before.listener = [&](const model::Event& event) {  // the power goes when call 50 has begun
    if (std::holds_alternative<model::ToolStarted>(event) && before.runs.size() == 49)
      throw Crash{};
  };
  CHECK_THROWS_AS(before.turn(first, "sixty steps"), Crash);

  Stage after(script, std::move(before.store));
  Conversation second(after.store, first.session());
  CHECK(test::recover(after.agent, second, after.ports()) == 1);
  const TurnEnd end = after.agent.go_on(second, after.settings, after.ports());

  CHECK(end.text == "finished");
  CHECK(end.calls == 11);
  CHECK(after.runs.front() == R"(look {"step":51})");
  CHECK(after.runs.size() == 10);
  std::size_t prompts = 0;
  for (const std::string& line : lines_of(after.stored(second)))
    prompts += line.starts_with("user");
  CHECK(prompts == 1);
}

TEST_CASE("going on with another model is written down") {
  Stage stage(R"(["1", "2"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "a");

  stage.settings.model.model = "y";
  stage.agent.go_on(conversation, stage.settings, stage.ports());

  CHECK(lines_of(stage.stored(conversation)) == Lines{"runtime_init", "model_change", "user: a",
                                                      "assistant: 1 -> stop", "model_change",
                                                      "user: Continue.", "assistant: 2 -> stop"});
}
