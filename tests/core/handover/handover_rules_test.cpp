#include "tests/support/handover_rules.h"

#include <doctest/doctest.h>

#include <functional>

using namespace skein;
using namespace skein::handover;
using namespace skein::test;
using namespace std::string_literals;

namespace {

const Target claude = target_for(WireFormat::anthropic, "anthropic", "claude");
const Target gemini = target_for(WireFormat::google, "google", "gemini-2.5");

using Messages = std::vector<model::Message>;

Messages good() {
  model::Message reply{.role = model::Role::assistant,
                       .content = {model::Thinking{"hm", "c2ln"}, model::Text{"ok"},
                                   model::ToolUse{"a", "bash"}, model::ToolUse{"b", "bash"}},
                       .provider = "anthropic",
                       .model = "claude"};
  model::Message results{.role = model::Role::tool,
                         .content = {model::ToolResult{"a", {model::Text{"1"}}},
                                     model::ToolResult{"b", {model::Text{"2"}}}}};
  return {model::user_message("hi"), reply, results, model::user_message("and?")};
}

template <class Kind>
Kind& block(Messages& messages, std::size_t message, std::size_t index) {
  return std::get<Kind>(messages[message].content[index]);
}
model::ToolResult& result(Messages& messages, std::size_t index) {
  return block<model::ToolResult>(messages, 2, index);
}

struct Case {
  const char* broken;
  std::function<void(Messages&)> spoil;
};

const Case cases[] = {
    {"message 0: the first message is not the user's", [](Messages& m) { m.erase(m.begin()); }},
    {"message 0: a message is empty", [](Messages& m) { m[0].content.clear(); }},
    {"message 4: a role speaks twice in a row", [](Messages& m) { m.push_back(m[3]); }},
    {"message 0: a text is blank", [](Messages& m) { block<model::Text>(m, 0, 0).text = " "; }},
    {"message 0: a text is not sendable",
     [](Messages& m) { block<model::Text>(m, 0, 0).text = "\0"s; }},
    {"message 0: a text is not sendable",
     [](Messages& m) { block<model::Text>(m, 0, 0).text = "\xff"; }},
    {"message 0: provider data on the user's words",
     [](Messages& m) { block<model::Text>(m, 0, 0).provider_data = "{}"; }},
    {"message 1: provider data is no sendable object",
     [](Messages& m) { block<model::Text>(m, 1, 1).provider_data = "{"; }},
    {"message 1: thinking without a signature",
     [](Messages& m) { block<model::Thinking>(m, 1, 0).signature.clear(); }},
    {"message 1: thinking is not sendable",
     [](Messages& m) { block<model::Thinking>(m, 1, 0).thinking = "\xff"; }},
    {"message 0: thinking of someone who is no model",
     [](Messages& m) {
       m[0].content.push_back(model::Thinking{"hm", "c2ln"});
     }},
    {"message 1: a reply ends in thinking",
     [](Messages& m) {
       m[1].content.push_back(model::Thinking{"hm", "c2ln"});
     }},
    {"message 1: an image where none may be",
     [](Messages& m) {
       m[1].content.push_back(model::Image{"image/png", "blob"});
     }},
    {"message 0: an image the target does not take",
     [](Messages& m) {
       m[0].content.push_back(model::Image{"image/tiff", "blob"});
     }},
    {"message 1: a call's name is none",
     [](Messages& m) { block<model::ToolUse>(m, 1, 2).name = "a b"; }},
    {"message 1: a call's input is no sendable object",
     [](Messages& m) { block<model::ToolUse>(m, 1, 2).input = "[]"; }},
    {"message 1: a call's id does not fit",
     [](Messages& m) { block<model::ToolUse>(m, 1, 2).id = result(m, 0).tool_use_id = "a.b"; }},
    {"message 1: two calls share an id",
     [](Messages& m) { block<model::ToolUse>(m, 1, 2).id = result(m, 0).tool_use_id = "b"; }},
    {"message 0: a call by someone who is no model",
     [](Messages& m) {
       m[0].content.push_back(model::ToolUse{"c", "bash"});
     }},
    {"message 1: calls and results do not match", [](Messages& m) { m[2].content.pop_back(); }},
    {"message 1: calls and results do not match",
     [](Messages& m) { std::swap(m[2].content[0], m[2].content[1]); }},
    {"message 1: calls and results do not match",
     [](Messages& m) { m[2].content.push_back(m[2].content[0]); }},
    {"message 2: a result is empty", [](Messages& m) { result(m, 0).content.clear(); }},
    {"message 2: a result's text is refused",
     [](Messages& m) { result(m, 0).content = {model::Text{"\n"}}; }},
    {"message 2: a result's image is refused",
     [](Messages& m) {
       result(m, 0).content = {model::Image{"image/tiff", "blob"}};
     }},
    {"message 2: a block only another provider can read",
     [](Messages& m) {
       result(m, 0).content = {model::Opaque{"openai", "{}"}};
     }},
    {"message 2: a tool message holds a text beside its results",
     [](Messages& m) { m[2].content.push_back(model::Text{"x"}); }},
    {"message 3: a result outside of a tool message",
     [](Messages& m) {
       m[3].content.push_back(model::ToolResult{"a", {model::Text{"1"}}});
     }},
    {"message 1: a block only another provider can read",
     [](Messages& m) {
       m[1].content.push_back(model::Opaque{"openai", "{}"});
     }},
    {"message 1: a provider's block is no sendable object",
     [](Messages& m) {
       m[1].content.push_back(model::Opaque{"anthropic", "3"});
     }},
    {"message 3: a provider's block outside of a reply",
     [](Messages& m) {
       m[3].content.push_back(model::Opaque{"anthropic", "{}"});
     }},
    {"message 1: a reply does not bear the target's name", [](Messages& m) { m[1].model = "x"; }},
    {"message 4: results do not follow a reply", [](Messages& m) { m.push_back(m[2]); }},
};

}  // namespace

TEST_CASE("a good conversation breaks no rule") {
  CHECK(violations(good(), claude) == std::vector<std::string>{});
  CHECK(violations({}, claude) == std::vector<std::string>{});
}

TEST_CASE("every rule is seen when it alone is broken") {
  for (const Case& each : cases) {
    Messages messages = good();
    each.spoil(messages);
    CHECK(violations(messages, claude) == std::vector<std::string>{each.broken});
  }
}

TEST_CASE("the rules that only some targets have are seen too") {
  Target bridged = claude;
  bridged.bridge_text = "Done.";
  CHECK(violations(good(), bridged) ==
        std::vector<std::string>{"message 3: the user speaks directly after results"});

  model::Message thought{.role = model::Role::assistant,
                         .content = {model::Thinking{"hm"}},
                         .provider = "google",
                         .model = "gemini-2.5"};
  CHECK(violations({model::user_message("hi"), thought}, gemini) ==
        std::vector<std::string>{"message 1: a reply of nothing but thinking"});
  thought.content = {model::Thinking{"hm", "c2l"}, model::Text{"ok"}};
  CHECK(violations({model::user_message("hi"), thought}, gemini) ==
        std::vector<std::string>{"message 1: a signature is not base64"});
  thought.content = {model::Thinking{" "}, model::Text{"ok"}};
  CHECK(violations({model::user_message("hi"), thought}, gemini) ==
        std::vector<std::string>{"message 1: thinking is blank"});

  const Target older = target_for(WireFormat::anthropic, "anthropic", "claude-opus-4-5");
  model::Message late{
      .role = model::Role::assistant,
      .content = {model::Text{"a"}, model::Thinking{"hm", "c2ln"}, model::Text{"b"}},
      .provider = "anthropic",
      .model = "claude-opus-4-5"};
  CHECK(violations({model::user_message("hi"), late}, older) ==
        std::vector<std::string>{"message 1: thinking that is not first"});
  Messages failed = good();
  result(failed, 0) = {"a", {model::Image{"image/png", "blob"}}, true};
  CHECK(violations(failed, claude) ==
        std::vector<std::string>{"message 2: a result's image is refused"});

  const Target gpt = target_for(WireFormat::openai_responses, "openai", "gpt");
  const std::string id = R"({"id":"msg_1"})";
  model::Message items{.role = model::Role::assistant, .provider = "openai", .model = "gpt"};
  items.content = {model::Text{"a", id}, model::Text{"b", id}};
  CHECK(violations({model::user_message("hi"), items}, gpt) == std::vector<std::string>{});
  items.content = {model::Text{"a", id}, model::Text{"b"}, model::Text{"c", id}};
  CHECK(violations({model::user_message("hi"), items}, gpt) ==
        std::vector<std::string>{"message 1: two items share an id"});
}
