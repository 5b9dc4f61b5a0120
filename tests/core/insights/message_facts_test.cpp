#include "core/insights/message_facts.h"

#include <doctest/doctest.h>

#include <string>

#include "core/model/message.h"
#include "core/model/tool.h"

using namespace skein;
using insights::facts_of_message, insights::MessageFacts;
using Kind = MessageFacts::Kind;

namespace {

model::Message answer() {
  model::Message message{.role = model::Role::assistant};
  message.content = {
      model::Text{R"(says "tool_use" and ])"},
      model::ToolUse{"c1", "bash", R"({"x":[{"type":"tool_use","id":"n","name":"no"}]})"},
      model::ToolUse{"c2", "read"}};
  message.provider = "acme";
  message.model = "m-1";
  message.stop = model::Stop::tool_use;
  message.usage = model::Usage{10, 5, 100, 7, 2};
  message.duration_ms = 1200;
  message.first_token_ms = 300;
  return message;
}

void check_answer(const MessageFacts& facts) {
  REQUIRE(facts.kind == Kind::answer);
  CHECK(facts.provider == "acme");
  CHECK(facts.model == "m-1");
  CHECK(facts.usage == model::Usage{10, 5, 100, 7, 2});
  CHECK(facts.duration_ms == 1200);
  CHECK(facts.first_token_ms == 300);
  REQUIRE(facts.calls.size() == 2);
  CHECK(facts.calls[0].name == "bash");
  CHECK(facts.calls[1].id == "c2");
}

}  // namespace

TEST_CASE("an answer of ours is read without a parse, and only its own calls are calls") {
  const std::string body = to_json(answer());
  const MessageFacts facts = facts_of_message(body);
  check_answer(facts);
  CHECK(facts.parsed == nullptr);
}

TEST_CASE("an imported answer, with its origin behind it, is read without a parse") {
  const std::string body =
      to_json(answer()) + R"(,"meta":{"import":{"from":"x","id":"1","raw":["]"]}})";
  const MessageFacts facts = facts_of_message(body);
  check_answer(facts);
  CHECK(facts.parsed == nullptr);
}

TEST_CASE("an answer that others wrote down gives the same") {
  const std::string body =
      R"({"model":"m-1","provider":"acme","role":"assistant","usage":{"output":5,"input":10,)"
      R"("cacheRead":100,"cacheWrite":7,"reasoning":2},"durationMs":1200,"firstTokenMs":300,)"
      R"("content":[{"name":"bash","type":"tool_use","id":"c1","input":{}},)"
      R"({"id":"c2","type":"tool_use","name":"read","input":{}}]})";
  const MessageFacts facts = facts_of_message(body);
  check_answer(facts);
  CHECK(facts.parsed != nullptr);
}

TEST_CASE("results tell what failed and what the user refused") {
  const auto result = [](bool failed, const std::string& text) {
    return to_json(
        model::Message{.role = model::Role::tool,
                       .content = {model::ToolResult{"c1", {model::Text{text}}, failed}}});
  };
  CHECK(facts_of_message(result(false, R"("isError":true)")).failures.empty());
  const std::string failed = result(true, "no such file");
  REQUIRE(facts_of_message(failed).failures.size() == 1);
  CHECK_FALSE(facts_of_message(failed).failures[0].refused);
  const std::string refused = result(true, std::string(model::refusal_opening) + ": not there");
  REQUIRE(facts_of_message(refused).failures.size() == 1);
  CHECK(facts_of_message(refused).failures[0].refused);
  CHECK(facts_of_message(refused).failures[0].call == "c1");
}

TEST_CASE("a message that only asks to go on is no prompt") {
  model::Message message = model::user_message("go on");
  CHECK(facts_of_message(to_json(message)).kind == Kind::prompt);
  message.continuation = true;
  CHECK(facts_of_message(to_json(message)).kind == Kind::other);
  CHECK(facts_of_message("{not json").kind == Kind::other);
}
