#include "core/agent/prompt_context.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/model/payloads.h"
#include "tests/support/homes.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;

namespace {

using Lines = std::vector<std::string>;

Surrounding guide(const std::string& text) { return {"AGENTS.md of this workspace", text, true}; }

void live_in(Stage& stage, const std::string& folder, const std::string& text) {
  stage.settings.surroundings = {{"the workspace", folder}, guide(text)};
  if (text.empty()) stage.settings.surroundings.pop_back();
  stage.settings.system = "be brief in " + folder + ": " + text;
}

std::size_t beginnings(Stage& stage, const Conversation& conversation) {
  const auto lines = lines_of(stage.stored(conversation));
  return static_cast<std::size_t>(std::ranges::count(lines, "runtime_init"));
}

std::string last_message(const Stage& stage) {
  return model::plain_text(stage.contexts.back().messages.back());
}

}  // namespace

TEST_CASE("system prompt and tools are sent as they were first written down") {
  Stage stage(R"(["1", "2", "3"])");
  Conversation conversation = stage.conversation();
  live_in(stage, "/a", "use tabs");
  stage.turn(conversation, "one");
  live_in(stage, "/b", "use spaces");
  stage.tools.pop_back();
  stage.tools.front().description = "another";
  Conversation again(stage.store, conversation.session());
  stage.turn(again, "two");
  stage.turn(again, "three");

  for (const model::Context& context : stage.contexts) {
    CHECK(context.system == "be brief in /a: use tabs");
    REQUIRE(context.tools.size() == 3);
    CHECK(context.tools[0].description == "for tests");
  }
  CHECK(beginnings(stage, again) == 1);
}

TEST_CASE("what has changed is told once, before the prompt, and stays") {
  Stage stage(R"(["1", "2", "3", "4"])");
  Conversation conversation = stage.conversation();
  live_in(stage, "/a", "use tabs");
  stage.turn(conversation, "one");
  live_in(stage, "/b", "use spaces");
  Conversation again(stage.store, conversation.session());
  stage.turn(again, "two");
  stage.turn(again, "three");

  const std::string news =
      "user: The workspace is now /b.\n\nAGENTS.md of this workspace has changed; it now says:\n\n"
      "use spaces";
  CHECK(lines_of(again.path()) == Lines{"runtime_init", "user: one", "assistant: 1 -> stop", news,
                                        "user: two", "assistant: 2 -> stop", "user: three",
                                        "assistant: 3 -> stop"});
  CHECK(again.state().messages == 3);
  CHECK(stage.notices() ==
        Lines{"informing the model of changes: AGENTS.md of this workspace, the workspace"});

  live_in(stage, "/b", "");
  stage.turn(again, "four");
  const std::vector<model::Message>& sent = stage.contexts.back().messages;
  CHECK(model::plain_text(sent[sent.size() - 2]) ==
        "AGENTS.md of this workspace is gone; it no longer applies.");
}

TEST_CASE("what was told on another branch is told again") {
  Stage stage(R"(["1", "2", "3"])");
  Conversation conversation = stage.conversation();
  live_in(stage, "/a", "");
  stage.turn(conversation, "one");
  const Id fork = *conversation.head();
  live_in(stage, "/b", "");
  stage.turn(conversation, "two");
  conversation.move_head(fork);
  stage.turn(conversation, "other");
  CHECK(lines_of(conversation.path())[3] == "user: The workspace is now /b.");
}

TEST_CASE("what was told of changes is no question: going on from there asks the model to go on") {
  Stage stage(R"(["1", "2", "3"])");
  Conversation conversation = stage.conversation();
  live_in(stage, "/a", "");
  stage.turn(conversation, "one");
  live_in(stage, "/b", "");
  stage.turn(conversation, "two");
  conversation.move_head(conversation.path()[3].id);  // undone
  CHECK_FALSE(stage.agent.recovery().lacks_answer(conversation, stage.ports()));
  stage.agent.go_on(conversation, stage.settings, stage.ports());
  CHECK(last_message(stage) == "Continue.");
}

TEST_CASE("a tool that is gone is still listed, told of, and refuses") {
  Stage stage(R"(["1", [{"call": {"id": "c1", "name": "poke"}}], "3"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "one");
  stage.tools.pop_back();
  stage.turn(conversation, "two");
  const Lines lines = lines_of(conversation.path());
  CHECK(lines[3] == "user: The tool poke is no longer available; do not call it.");
  CHECK(std::ranges::count(lines, "result c1 failed: the tool 'poke' is no longer available") == 1);
}

TEST_CASE("a tool that is new waits for the next step, and the user is told once") {
  Stage stage(R"(["1", "2", "3", "4", "5"])");
  Conversation conversation = stage.conversation();
  const model::Tool late = stage.tools.back();
  stage.tools.pop_back();
  for (const char letter : {'a', 'b', 'c'}) {
    stage.turn(conversation, std::string(2000, letter));
    if (letter == 'a') stage.tools.push_back(late);
  }
  CHECK(stage.contexts.back().tools.size() == 2);
  CHECK(stage.notices() == Lines{"the model cannot use poke yet: new tools are added at the next "
                                 "/compact or when you switch providers"});
  SUBCASE("another provider") { stage.settings.model.provider = "other"; }
  SUBCASE("a summary") {
    REQUIRE(stage.agent.compact(conversation, "", stage.settings, stage.ports()).done);
  }
  stage.turn(conversation, "four");
  CHECK(stage.contexts.back().tools.size() == 3);
}

TEST_CASE("another provider alone is no reason to begin anew") {
  Stage stage(R"(["1", "2"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "one");
  stage.settings.model.provider = "other";
  stage.turn(conversation, "two");
  CHECK(beginnings(stage, conversation) == 1);
}

TEST_CASE("a redaction begins new_branch_prompt, once, also in the middle of a turn") {
  Stage stage(R"(["1", [{"call": {"id": "c1", "name": "look"}}], "3", "4"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "one");
  const Id prompt = conversation.path()[1].id;
  SUBCASE("between turns") {
    value_of(stage.store.mark(conversation.session(), model::payload::Redaction{prompt, "why"}));
    conversation.reload();
    stage.turn(conversation, "two");
  }
  SUBCASE("while a tool runs") {
    stage.listener = [&](const model::Event& event) {
      if (std::holds_alternative<model::ToolStarted>(event))
        value_of(
            stage.store.mark(conversation.session(), model::payload::Redaction{prompt, "why"}));
    };
    stage.turn(conversation, "two");
  }
  CHECK(beginnings(stage, conversation) == 2);
  stage.turn(conversation, "three");
  CHECK(beginnings(stage, conversation) == 2);
  CHECK(last_message(stage) == "three");
}

TEST_CASE("the session's own system prompt begins new_branch_prompt, and so does giving it up") {
  Stage stage(R"(["1", "2", "3"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "one");
  for (const char* text : {"be long", ""}) {
    value_of(conversation.append({model::make_entry(model::payload::SystemPromptOverride{text})}));
    stage.turn(conversation, "again");
    CHECK(stage.contexts.back().system == (*text == '\0' ? "be brief" : text));
  }
  CHECK(beginnings(stage, conversation) == 3);
}

TEST_CASE("a session of an older version gets its beginning with the next turn") {
  Stage stage(R"(["1", "2"])");
  Conversation conversation = stage.conversation();
  value_of(conversation.append(
      {model::make_entry(model::payload::RuntimeInit{.system = "old", .tools = {"look"}}),
       model::message_entry(model::user_message("before"))}));
  stage.turn(conversation, "one");
  CHECK(stage.contexts.back().system == "be brief");
  stage.turn(conversation, "two");
  CHECK(beginnings(stage, conversation) == 2);
}

TEST_CASE("calls left open where a conversation is taken up again are answered before it goes on") {
  Stage stage(R"([[{"call": {"id": "c1", "name": "look"}}], "2", "3"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "one");
  conversation.move_head(conversation.path()[2].id);  // the call
  stage.turn(conversation, "two");
  CHECK(lines_of(conversation.path())[3] ==
        "result c1 failed: interrupted: no result was recorded");
  CHECK(test::recover(stage.agent, conversation, stage.ports()) == 0);
}
