#include "core/model/entry.h"

#include <doctest/doctest.h>

#include "core/model/message.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::test;

TEST_CASE("a question beside the conversation is sent behind all of it, and is not part of it") {
  Stage stage(R"(["hello", "forty-two", "go on then"])");
  agent::Conversation conversation = stage.conversation();
  stage.turn(conversation, "hi");
  const std::optional<Id> head = conversation.head();
  const std::size_t path = conversation.path().size();

  const model::Message reply =
      stage.agent.ask_aside(conversation, "how many?", stage.settings, stage.ports());
  CHECK(model::plain_text(reply) == "forty-two");
  CHECK(conversation.head() == head);
  CHECK(conversation.path().size() == path);
  const model::Context &before = stage.contexts.at(0), &aside = stage.contexts.at(1);
  CHECK(aside.system == before.system);
  CHECK(aside.tools.size() == before.tools.size());  // or the service's cache would not be met
  REQUIRE(aside.messages.size() == before.messages.size() + 2);
  CHECK(model::plain_text(aside.messages.back()).ends_with("how many?"));

  const model::Entry kept = stage.stored(conversation).back();
  const auto read = model::aside_of(kept);
  REQUIRE(read);
  CHECK(kept.parent == head);
  CHECK(read->question == "how many?");
  CHECK(read->answer == "forty-two");
  CHECK(read->model == "x");

  stage.turn(conversation, "next");
  for (const model::Message& message : stage.contexts.at(2).messages)
    CHECK(model::plain_text(message).find("how many?") == std::string::npos);
  agent::Conversation again = stage.conversation();  // as a restart finds it
  CHECK(again.head() == conversation.head());
}

TEST_CASE("no tool is run for such a question") {
  Stage stage(R"(["hello", [{"call": {"name": "poke", "input": {}}}]])");
  stage.answer = model::Answer{model::Answer::Choice::yes};
  agent::Conversation conversation = stage.conversation();
  stage.turn(conversation, "hi");
  const model::Message reply =
      stage.agent.ask_aside(conversation, "poke it", stage.settings, stage.ports());
  CHECK(stage.runs.empty());
  CHECK(model::tool_uses(reply).empty());
  CHECK(reply.stop == model::Stop::stop);
}
