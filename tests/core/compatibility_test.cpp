#include "core/compatibility.h"

#include <doctest/doctest.h>

using namespace skein;

namespace {

const Target claude = target_for(WireFormat::anthropic, "anthropic", "claude");
const Target gpt = target_for(WireFormat::openai_chat, "openai", "gpt");
const Target gemini = target_for(WireFormat::google, "google", "gemini-2.5");

std::vector<Message> said_by(const Target& author, std::vector<Block> content) {
  Message reply{.role = Role::assistant, .content = std::move(content)};
  reply.provider = author.provider;
  reply.model = author.model;
  return {user_message("hi"), reply};
}

}  // namespace

TEST_CASE("going on with the same model costs nothing") {
  const auto messages = said_by(claude, {Thinking{"hm", "c2ln"}, Thinking{"", "ZW5j", true},
                                         Text{"ok", R"({"a":1})"}, Opaque{"anthropic", "{}"}});
  CHECK(check_compatibility(messages, claude) == Compatibility{});
}

TEST_CASE("what thinking becomes is counted and named") {
  const auto messages = said_by(claude, {Thinking{"one", "c2ln"}, Thinking{"two", "c2ln"},
                                         Thinking{"", "ZW5j", true}, Text{"ok"}});
  CHECK(check_compatibility(messages, gpt) ==
        Compatibility{{"Thinking traces will be lost", "2 thinking blocks become plain text",
                       "1 encrypted thinking block is left out: unreadable to other models"},
                      {"thinking"}});
}

TEST_CASE("a transcript without thinking is not said to lose any") {
  CHECK(check_compatibility(said_by(claude, {Text{"ok"}}), gpt) == Compatibility{});
}

TEST_CASE("images, foreign blocks and provider data that stay behind are named") {
  Target blind = gpt;
  blind.takes_images = false;
  auto messages =
      said_by(claude, {Text{"ok", R"({"a":1})"}, ToolUse{"a", "read"}, Opaque{"anthropic", "{}"}});
  messages[0].content.push_back(Image{"image/png", "blob"});
  messages.push_back(
      {.role = Role::tool, .content = {ToolResult{"a", {Image{"image/png", "blob"}}}}});
  CHECK(check_compatibility(messages, blind) ==
        Compatibility{{"2 images are left out: the model takes no images",
                       "1 block is left out: unreadable to other providers"},
                      {"images", "opaque", "providerData"}});
}

TEST_CASE("calls without results and results without calls are named") {
  auto messages = said_by(gpt, {ToolUse{"a", "read"}, ToolUse{"b", "read"}});
  messages.push_back({.role = Role::tool, .content = {ToolResult{"x", {Text{"1"}}}}});
  CHECK(check_compatibility(messages, gpt) ==
        Compatibility{{"2 tool calls have no recorded result and will be shown as interrupted",
                       "1 tool result without a call is left out"},
                      {}});
}

TEST_CASE("conversions between the providers' shapes are named where they happen") {
  using Warnings = std::vector<std::string>;
  const std::vector<Block> ok{Text{"ok"}};
  CHECK(check_compatibility(said_by(gemini, ok), gpt).warnings ==
        Warnings{"Role names will be converted (model → assistant)"});
  CHECK(check_compatibility(said_by(gpt, ok), gemini).warnings ==
        Warnings{"Role names will be converted (assistant → model)"});
  CHECK(check_compatibility(said_by(gpt, ok), claude).warnings ==
        Warnings{"Content will be converted to Anthropic format"});
  CHECK(check_compatibility(said_by(gemini, ok), claude).warnings ==
        Warnings{"Role names will be converted (model → assistant)",
                 "Content will be converted to Anthropic format"});
}
