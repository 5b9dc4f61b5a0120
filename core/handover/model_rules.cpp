#include "core/handover/model_rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <optional>
#include <string>

namespace skein::handover {

namespace {

struct Version {
  int major = 0, minor = 0;
  auto operator<=>(const Version&) const = default;
};
constexpr Version newest{1'000, 0};

std::string_view up_to_dash(std::string_view text) { return text.substr(0, text.find('-')); }

// One or two digits and nothing else: a date is no version.
std::optional<int> short_number(std::string_view text) {
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size() || text.size() > 2)
    return std::nullopt;
  return number;
}

// claude-opus-4-20250514 is 4, claude-3-7-sonnet is 3.7, claude-opus-5-5 is 5.5.
Version claude_version(std::string_view model) {
  std::string_view rest = model.substr(model.find("claude"));
  while (!rest.empty()) {
    const std::string_view word = up_to_dash(rest);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (const std::optional<int> major = short_number(word))
      return {*major, short_number(up_to_dash(rest)).value_or(0)};
  }
  return newest;
}

// gemini-3.5-flash and gemini-live-4 are, and names without a number that stand for the latest.
bool is_gemini_from_3(std::string_view model) {
  if (!model.starts_with("gemini-")) return false;
  model.remove_prefix(7);
  if (model.starts_with("live-")) model.remove_prefix(5);
  int major = 0;
  const auto [end, failed] = std::from_chars(model.data(), model.data() + model.size(), major);
  return failed == std::errc{} ? major >= 3 : model.ends_with("-latest");
}

bool wants_reasoning(const Target& target) {
  constexpr std::array<std::string_view, 4> kinds{"deepseek-v4", "deepseek-flash", "kimi-k",
                                                  "glm-5"};
  std::string_view model = target.model;
  if (const std::size_t slash = model.rfind('/'); slash != model.npos)
    model.remove_prefix(slash + 1);
  return target.provider == "deepseek" ||
         std::ranges::any_of(kinds, [&](auto kind) { return model.starts_with(kind); });
}

}  // namespace

bool is_claude(std::string_view model) { return model.find("claude") != model.npos; }

bool is_claude_from(std::string_view model, int major, int minor) {
  return is_claude(model) && claude_version(model) >= Version{major, minor};
}

bool always_thinks(std::string_view model) {
  const auto is_of = [&](std::string_view family) { return model.find(family) != model.npos; };
  if (is_of("fable") || is_of("mythos")) return is_claude(model);
  return (is_of("opus") || is_of("sonnet")) && is_claude_from(model, 5, 5);
}

void apply_model_rules(Target& target) {
  if (target.wire == WireFormat::anthropic) {
    target.prefix_bound = is_claude_from(target.model, 5, 1);
  } else if (target.wire == WireFormat::google && is_gemini_from_3(target.model)) {
    target.images_in_results = target.signed_calls = target.call_ids = true;
  } else if (target.wire == WireFormat::openai_chat) {
    target.reasoning_always = wants_reasoning(target);
    if (target.provider == "mistral") {
      target.ids = {.max = 9, .exact = true, .alphanumeric = true};
      target.bridge_text = "Done.";
    }
  }
}

}  // namespace skein::handover
