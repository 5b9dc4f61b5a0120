// How the loop goes on after answers that are cut, empty or cannot be read.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/agent/agent.h"
#include "core/handover/normalize.h"
#include "core/model/entry.h"
#include "core/model/tree.h"
#include "core/store/home/file_backend.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

// A model whose answers are given as messages.
struct Puppet : model::Provider {
  model::Message stream(const model::Context& context, const model::ModelRef& model,
                        const model::Ports&) override {
    asked.push_back(context);
    model::Message reply{.content = {model::Text{"done"}}, .stop = model::Stop::stop};
    if (!answers.empty()) reply = answers.front();
    if (!answers.empty() && !repeat) answers.erase(answers.begin());
    reply.role = model::Role::assistant;
    reply.provider = model.provider;
    reply.model = model.model;
    return reply;
  }
  std::vector<model::Message> answers{};
  bool repeat = false;  // the first one, for ever
  std::vector<model::Context> asked{};
};

struct Scene {
  Puppet puppet{};
  store::SessionStore store{
      std::make_unique<store::home::FileBackend>(store::files::memory_files())};
  model::Tools tools{};
  Agent agent{agent_parts(store, tools, puppet)};
  Conversation conversation{store, session_called(store, "main:cli:user")};
  Agent::Settings settings{.model = {"openai", "gpt"}};

  TurnEnd say(const std::string& text) {
    return agent.run_turn(conversation, model::user_message(text), settings, {});
  }
  TurnEnd go_on() { return agent.go_on(conversation, settings, {}); }
  Lines said() const {
    std::vector<model::Entry> path = conversation.path();
    std::erase_if(path,
                  [](const model::Entry& entry) { return entry.type != model::type::message; });
    return lines_of(path);
  }
};

model::Message calling(std::string fault, model::Stop stop = model::Stop::tool_use) {
  return {.content = {model::ToolUse{
              "c1", "bash", R"({"_raw":"{\"command\": "})", {}, std::move(fault)}},
          .stop = stop};
}

model::Message saying(std::string text, model::Stop stop) {
  return {.content = {model::Text{std::move(text)}}, .stop = stop};
}

}  // namespace

TEST_CASE("a call that cannot be read goes back to the model, which may make it again") {
  Scene scene;
  scene.puppet.answers = {calling("the arguments are no object")};
  const TurnEnd end = scene.say("go");
  CHECK(end.stop == model::Stop::stop);
  CHECK(end.text == "done");
  CHECK(scene.said() == Lines{"user: go", "assistant: [bash c1] -> tool_use",
                              "result c1 failed: not run: the arguments are no object",
                              "assistant: done -> stop"});
  CHECK(std::get<model::ToolUse>(scene.puppet.asked[1].messages[1].content[0]).input ==
        R"({"_raw":"{\"command\": "})");
}

TEST_CASE("calls that can never be read end the turn, every one answered") {
  Scene scene;
  scene.puppet.answers = {calling("the arguments are no object")};
  scene.puppet.repeat = true;
  const TurnEnd end = scene.say("go");
  CHECK(end.stop == model::Stop::error);
  CHECK(end.error ==
        "the model made invalid tool calls 3 times in a row; the last one: the arguments are no "
        "object");
  CHECK(end.calls == 3);
  CHECK(scene.said().back() == "result c1 failed: not run: the arguments are no object");
}

TEST_CASE("after a call that the limit cut the model is asked once more, and not again") {
  Scene scene;
  scene.puppet.answers = {calling("never ended", model::Stop::length)};
  scene.puppet.repeat = true;
  const TurnEnd end = scene.say("go");
  CHECK(end.stop == model::Stop::length);
  CHECK(end.calls == 2);
  CHECK(
      scene.said().back().starts_with("result c1 failed: not run: the answer reached the output"));

  scene.say("another");
  CHECK(scene.puppet.asked.size() == 4);  // each prompt has its own second try
}

TEST_CASE("an answer without words is known to be empty") {
  Scene scene;
  scene.puppet.answers = {saying(" \n", model::Stop::stop)};
  CHECK(scene.say("go").empty);
  CHECK_FALSE(scene.say("go").empty);
}

TEST_CASE("going on after part of an answer is a message of its own and no prompt") {
  for (const model::Stop stop : {model::Stop::length, model::Stop::aborted,
                                 model::Stop::interrupted, model::Stop::error, model::Stop::stop}) {
    CAPTURE(static_cast<int>(stop));
    Scene scene;
    scene.puppet.answers = {saying("half of ", stop), saying("the rest", model::Stop::stop)};
    scene.say("go");
    CHECK(scene.go_on().text == "the rest");

    const std::vector<model::Message> asked = scene.puppet.asked.back().messages;
    REQUIRE(asked.size() == 3);
    CHECK(asked[2].role == model::Role::user);
    CHECK(asked[2].continuation);
    CHECK(scene.conversation.state().messages == 1);
    CHECK(model::turns_of(scene.conversation.path()).size() == 1);
    CHECK(scene.conversation.state().title == "go");
    const auto saved =
        std::ranges::find_if(scene.conversation.path(), [](const model::Entry& entry) {
          return entry.type == model::type::message &&
                 model::message_from_json(entry.payload)->continuation;
        });
    REQUIRE(saved != scene.conversation.path().end());
    CHECK(model::preview(*saved, 60) == "(asked to continue)");
    CHECK_FALSE(model::is_prompt(*saved));

    // It stays: what was sent once is sent again.
    scene.say("next");
    CHECK(scene.puppet.asked.back().messages.size() == 5);
    CHECK(scene.puppet.asked.back().messages[2] == asked[2]);
  }
}

TEST_CASE("going on where the user or a tool spoke last says nothing in between") {
  Scene scene;
  scene.puppet.answers = {{.stop = model::Stop::error, .error = "no network"},
                          {.stop = model::Stop::error, .error = "no network"}};
  scene.say("go");
  scene.go_on();
  CHECK(scene.go_on().text == "done");
  CHECK(scene.said() == Lines{"user: go", "assistant:  -> error", "assistant:  -> error",
                              "assistant: done -> stop"});
}

TEST_CASE("a request to go on that failed is not made twice") {
  Scene scene;
  scene.puppet.answers = {saying("half", model::Stop::aborted),
                          {.stop = model::Stop::error, .error = "no"}};
  scene.say("go");
  scene.go_on();
  CHECK(scene.go_on().text == "done");
  CHECK(std::ranges::count_if(scene.puppet.asked.back().messages,
                              [](const model::Message& each) { return each.continuation; }) == 1);
}

TEST_CASE("an answer of which only thoughts were kept is asked for again, not continued") {
  for (const model::Stop stop : {model::Stop::aborted, model::Stop::length}) {
    Scene scene;
    scene.puppet.answers = {{.content = {model::Thinking{"hm"}, model::Text{" "}}, .stop = stop}};
    scene.say("hello");
    CHECK(scene.go_on().text == "done");
    const std::vector<model::Message> sent = handover::normalize(
        scene.puppet.asked.back().messages,
        handover::target_for(handover::WireFormat::openai_chat, "openai", "gpt"));
    REQUIRE(sent.size() == 1);
    CHECK(plain_text(sent[0]) == "hello");
  }
}
