// How the loop goes on after answers that are cut, empty or cannot be read.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/agent.h"
#include "core/normalize.h"
#include "core/store/file_backend.h"
#include "core/turns.h"
#include "tests/support/homes.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

// A model whose answers are given as messages.
struct Puppet : Provider {
  Message stream(const Context& context, const ModelRef& model, const Ports&) override {
    asked.push_back(context);
    Message reply{.content = {Text{"done"}}, .stop = Stop::stop};
    if (!answers.empty()) reply = answers.front();
    if (!answers.empty() && !repeat) answers.erase(answers.begin());
    reply.role = Role::assistant;
    reply.provider = model.provider;
    reply.model = model.model;
    return reply;
  }
  std::vector<Message> answers{};
  bool repeat = false;  // the first one, for ever
  std::vector<Context> asked{};
};

struct Scene {
  Puppet puppet{};
  SessionStore store{std::make_unique<FileBackend>(memory_files())};
  Tools tools{};
  Agent agent{{.store = store, .tools = tools, .provider = [this](const ModelRef&) -> Provider& {
                 return puppet;
               }}};
  Conversation conversation{store, session_called(store, "main:cli:user")};
  Agent::Settings settings{.model = {"openai", "gpt"}};

  TurnEnd say(const std::string& text) {
    return agent.run_turn(conversation, user_message(text), settings, {});
  }
  TurnEnd go_on() { return agent.go_on(conversation, settings, {}); }
  Lines said() const {
    std::vector<Entry> path = conversation.path();
    std::erase_if(path, [](const Entry& entry) { return entry.type != type::message; });
    return lines_of(path);
  }
};

Message calling(std::string fault, Stop stop = Stop::tool_use) {
  return {.content = {ToolUse{"c1", "bash", R"({"_raw":"{\"command\": "})", {}, std::move(fault)}},
          .stop = stop};
}

Message saying(std::string text, Stop stop) {
  return {.content = {Text{std::move(text)}}, .stop = stop};
}

}  // namespace

TEST_CASE("a call that cannot be read goes back to the model, which may make it again") {
  Scene scene;
  scene.puppet.answers = {calling("the arguments are no object")};
  const TurnEnd end = scene.say("go");
  CHECK(end.stop == Stop::stop);
  CHECK(end.text == "done");
  CHECK(scene.said() == Lines{"user: go", "assistant: [bash c1] -> tool_use",
                              "result c1 failed: not run: the arguments are no object",
                              "assistant: done -> stop"});
  CHECK(std::get<ToolUse>(scene.puppet.asked[1].messages[1].content[0]).input ==
        R"({"_raw":"{\"command\": "})");
}

TEST_CASE("calls that can never be read end the turn, every one answered") {
  Scene scene;
  scene.puppet.answers = {calling("the arguments are no object")};
  scene.puppet.repeat = true;
  const TurnEnd end = scene.say("go");
  CHECK(end.stop == Stop::error);
  CHECK(end.error ==
        "the model made a call that cannot be read 3 times in a row; the last one: the arguments "
        "are no object");
  CHECK(end.calls == 3);
  CHECK(scene.said().back() == "result c1 failed: not run: the arguments are no object");
}

TEST_CASE("after a call that the limit cut the model is asked once more, and not again") {
  Scene scene;
  scene.puppet.answers = {calling("never ended", Stop::length)};
  scene.puppet.repeat = true;
  const TurnEnd end = scene.say("go");
  CHECK(end.stop == Stop::length);
  CHECK(end.calls == 2);
  CHECK(
      scene.said().back().starts_with("result c1 failed: not run: the answer reached the output"));

  scene.say("another");
  CHECK(scene.puppet.asked.size() == 4);  // each prompt has its own second try
}

TEST_CASE("an answer without words is known to be empty") {
  Scene scene;
  scene.puppet.answers = {saying(" \n", Stop::stop)};
  CHECK(scene.say("go").empty);
  CHECK_FALSE(scene.say("go").empty);
}

TEST_CASE("going on after part of an answer is a message of its own and no prompt") {
  for (const Stop stop :
       {Stop::length, Stop::aborted, Stop::interrupted, Stop::error, Stop::stop}) {
    CAPTURE(static_cast<int>(stop));
    Scene scene;
    scene.puppet.answers = {saying("half of ", stop), saying("the rest", Stop::stop)};
    scene.say("go");
    CHECK(scene.go_on().text == "the rest");

    const std::vector<Message> asked = scene.puppet.asked.back().messages;
    REQUIRE(asked.size() == 3);
    CHECK(asked[2].role == Role::user);
    CHECK(asked[2].continuation);
    CHECK(scene.conversation.state().messages == 1);
    CHECK(turns_of(scene.conversation.path()).size() == 1);
    CHECK(scene.conversation.state().title == "go");
    const auto saved = std::ranges::find_if(scene.conversation.path(), [](const Entry& entry) {
      return entry.type == type::message && message_from_json(entry.payload)->continuation;
    });
    REQUIRE(saved != scene.conversation.path().end());
    CHECK(preview(*saved, 60) == "(asked to go on)");
    CHECK_FALSE(is_prompt(*saved));

    // It stays: what was sent once is sent again.
    scene.say("next");
    CHECK(scene.puppet.asked.back().messages.size() == 5);
    CHECK(scene.puppet.asked.back().messages[2] == asked[2]);
  }
}

TEST_CASE("going on where the user or a tool spoke last says nothing in between") {
  Scene scene;
  scene.puppet.answers = {{.stop = Stop::error, .error = "no network"},
                          {.stop = Stop::error, .error = "no network"}};
  scene.say("go");
  scene.go_on();
  CHECK(scene.go_on().text == "done");
  CHECK(scene.said() == Lines{"user: go", "assistant:  -> error", "assistant:  -> error",
                              "assistant: done -> stop"});
}

TEST_CASE("a request to go on that failed is not made twice") {
  Scene scene;
  scene.puppet.answers = {saying("half", Stop::aborted), {.stop = Stop::error, .error = "no"}};
  scene.say("go");
  scene.go_on();
  CHECK(scene.go_on().text == "done");
  CHECK(std::ranges::count_if(scene.puppet.asked.back().messages,
                              [](const Message& each) { return each.continuation; }) == 1);
}
