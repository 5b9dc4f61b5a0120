#include "providers/catalog/traits.h"

#include <algorithm>

#include "providers/catalog/version.h"

namespace skein::catalog {

namespace {

// claude-opus-4-5, claude-3-5-haiku, and as others serve it: anthropic.claude-opus-5-5-v1:0.
Traits anthropic(std::string_view name) {
  Traits traits;
  const std::size_t claude = name.find("claude");
  if (claude == std::string_view::npos) return traits;  // another vendor's model in this format
  const std::optional<Version> version = split_version(name.substr(claude)).version;
  if (!since(version, {4, 6})) traits.style = wire::ThinkingStyle::budget;
  traits.thinking_display = since(version, {4, 7});
  traits.prefix_bound = since(version, {5, 1});
  traits.seal_family = "claude";
  return traits;
}

// gemini-3.8-flash, gemini-live-4, and those that have no number because it is always the newest.
Traits google(std::string_view name) {
  Traits traits;
  std::optional<Version> version = version_behind(name, "gemini-");
  if (!version) version = version_behind(name, "gemini-live-");
  const bool newest = !version && name.ends_with("-latest");
  const bool third = newest || (version && version->major >= 3);
  traits.signed_calls = traits.images_in_results = traits.call_ids = third;
  if (version && version->major < 3) traits.style = wire::ThinkingStyle::budget;
  return traits;
}

struct Family {
  std::string_view prefix;
  Version since{};
};
constexpr Family always_reasoning[] = {{"deepseek-v", {4, 0}}, {"kimi-k", {}}, {"glm-", {5, 0}}};

Traits openai_chat(std::string_view name) {
  Traits traits;
  traits.reasoning_always = name.ends_with("deepseek-flash") ||
                            std::ranges::any_of(always_reasoning, [&](const Family& family) {
                              const std::optional<Version> version =
                                  version_behind(name, family.prefix);
                              return version && *version >= family.since;
                            });
  return traits;
}

}  // namespace

Traits traits_of(handover::WireFormat wire, std::string_view model) {
  switch (wire) {
    case handover::WireFormat::anthropic: return anthropic(model);
    case handover::WireFormat::google: return google(model);
    case handover::WireFormat::openai_chat: return openai_chat(model);
    case handover::WireFormat::openai_responses: return {};
  }
  return {};
}

}  // namespace skein::catalog
