#include "core/handover/compatibility.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::handover;

namespace {

const Target claude = target_for(WireFormat::anthropic, "anthropic", "claude");
const Target gpt = target_for(WireFormat::openai_chat, "openai", "gpt");
const Target gemini = target_for(WireFormat::google, "google", "gemini-2.5");

std::vector<model::Message> said_by(const Target& author, std::vector<model::Block> content) {
  model::Message reply{.role = model::Role::assistant, .content = std::move(content)};
  reply.provider = author.provider;
  reply.model = author.model;
  return {model::user_message("hi"), reply};
}

}  // namespace

TEST_CASE("going on with the same model costs nothing") {
  const auto messages =
      said_by(claude, {model::Thinking{"hm", "c2ln"}, model::Thinking{"", "ZW5j", true},
                       model::Text{"ok", R"({"a":1})"}, model::Opaque{"anthropic", "{}"}});
  CHECK(check_compatibility(messages, claude) == Compatibility{});
}

TEST_CASE("what thinking becomes is counted and named") {
  const auto messages =
      said_by(claude, {model::Thinking{"one", "c2ln"}, model::Thinking{"two", "c2ln"},
                       model::Thinking{"", "ZW5j", true}, model::Text{"ok"}});
  CHECK(check_compatibility(messages, gpt) ==
        Compatibility{{"Thinking traces will be lost", "2 thinking blocks are left out",
                       "1 encrypted thinking block is left out: unreadable to other models"},
                      {"thinking"}});
  auto unended = said_by(claude, {model::Thinking{"one", "c2ln"}, model::ToolUse{"a", "read"}});
  unended.push_back(
      {.role = model::Role::tool, .content = {model::ToolResult{"a", {model::Text{"out"}}}}});
  CHECK(check_compatibility(unended, gpt).warnings.at(1) == "1 thinking block becomes plain text");
}

TEST_CASE("a transcript without thinking is not said to lose any") {
  CHECK(check_compatibility(said_by(claude, {model::Text{"ok"}}), gpt) == Compatibility{});
}

TEST_CASE("images, foreign blocks and provider data that stay behind are named") {
  Target blind = gpt;
  blind.takes_images = false;
  auto messages = said_by(claude, {model::Text{"ok", R"({"a":1})"}, model::ToolUse{"a", "read"},
                                   model::Opaque{"anthropic", "{}"}});
  messages[0].content.push_back(model::Image{"image/png", "blob"});
  messages.push_back({.role = model::Role::tool,
                      .content = {model::ToolResult{"a", {model::Image{"image/png", "blob"}}}}});
  CHECK(check_compatibility(messages, blind) ==
        Compatibility{{"2 images are left out: the model takes no images",
                       "1 block is left out: unreadable to other providers"},
                      {"images", "opaque", "providerData"}});
}

TEST_CASE("calls without results and results without calls are named") {
  auto messages = said_by(gpt, {model::ToolUse{"a", "read"}, model::ToolUse{"b", "read"}});
  messages.push_back(
      {.role = model::Role::tool, .content = {model::ToolResult{"x", {model::Text{"1"}}}}});
  CHECK(check_compatibility(messages, gpt) ==
        Compatibility{{"2 tool calls have no recorded result and will be shown as interrupted",
                       "1 tool result without a call is left out"},
                      {}});
}

TEST_CASE("conversions between the providers' shapes are named where they happen") {
  using Warnings = std::vector<std::string>;
  const std::vector<model::Block> ok{model::Text{"ok"}};
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
