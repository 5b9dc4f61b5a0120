#include "core/agent/conversation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/model/entry.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

// What the user is seen to have said in the last request.
Lines sent(const Stage& stage) {
  Lines out;
  for (const model::Message& message : stage.contexts.back().messages)
    if (message.role == model::Role::user) out.push_back(model::plain_text(message));
  return out;
}

Lines said(Lines lines) {
  std::erase_if(lines, [](const std::string& line) {
    return line == "runtime_init" || line == "model_change";
  });
  return lines;
}

}  // namespace

TEST_CASE("a prompt that got no answer is replaced by the next one and stays in the session") {
  Stage stage(R"(["hello", [{"error": "401"}], [{"error": "401"}], "yes"])");
  Conversation conversation = stage.conversation();
  CHECK_FALSE(stage.turn(conversation, "hi").unanswered);
  CHECK(stage.turn(conversation, "first try").unanswered);
  CHECK(stage.turn(conversation, "second try").unanswered);
  CHECK_FALSE(stage.turn(conversation, "third try").unanswered);

  CHECK(sent(stage) == Lines{"hi", "third try"});
  CHECK(said(lines_of(conversation.path())) ==
        Lines{"user: hi", "assistant: hello -> stop", "user: third try", "assistant: yes -> stop"});
  const Lines all = lines_of(stage.stored(conversation));
  CHECK(std::ranges::count(all, "user: first try") == 1);
  CHECK(std::ranges::count(all, "user: second try") == 1);
  CHECK(conversation.state().leaves.size() == 3);
  CHECK(Conversation(stage.store, conversation.session()).head() == conversation.head());
}

TEST_CASE("the first prompt of a session is replaced as well") {
  Stage stage(R"([[{"error": "no"}], "yes"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "one");
  stage.turn(conversation, "two");
  CHECK(sent(stage) == Lines{"two"});
}

TEST_CASE("a failed prompt is sent again by whoever continues without a new one") {
  Stage stage(R"([[{"error": "no"}], "yes"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "one");
  stage.agent.go_on(conversation, stage.settings, stage.ports());
  CHECK(sent(stage) == Lines{"one"});
}

TEST_CASE("what was noted after a failed prompt is still sent with the next one") {
  Stage stage(R"([[{"error": "no"}], "yes"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "one");
  stage.agent.note(conversation, "I ran `make`", stage.settings, stage.ports());
  stage.turn(conversation, "two");
  CHECK(sent(stage) == Lines{"I ran `make`", "two"});
}

TEST_CASE("a turn that failed after an answer began is not replaced") {
  Stage stage(R"([[{"call": {"name": "look"}}], [{"error": "no"}], "yes"])");
  Conversation conversation = stage.conversation();
  CHECK_FALSE(stage.turn(conversation, "one").unanswered);
  stage.turn(conversation, "two");
  CHECK(sent(stage) == Lines{"one", "two"});
}

TEST_CASE("a failed prompt that another process continued from is not replaced") {
  Stage stage(R"([[{"error": "no"}], "theirs", "ours"])");
  Conversation ours = stage.conversation();
  stage.turn(ours, "one");
  Conversation theirs(stage.store, ours.session());
  stage.agent.go_on(theirs, stage.settings, stage.ports());
  stage.turn(ours, "two");
  CHECK(sent(stage) == Lines{"one", "two"});
  CHECK(ours.state().leaves.size() == 1);
}

TEST_CASE("a note is no prompt") {
  Stage stage(R"(["yes"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "one");
  stage.agent.note(conversation, "I ran `make`", stage.settings, stage.ports());
  const model::Entry& note = conversation.path().back();
  CHECK(model::is_note(note));
  CHECK_FALSE(model::is_prompt(note));
}
