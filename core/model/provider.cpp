#include "core/model/provider.h"

#include <algorithm>
#include <array>

namespace skein::model {

namespace {

constexpr std::array<std::string_view, 4> level_names{"off", "low", "medium", "high"};

}  // namespace

std::string_view name(ThinkingLevel level) { return level_names[static_cast<std::size_t>(level)]; }

std::optional<ThinkingLevel> parse_thinking_level(std::string_view name) {
  const auto* const found = std::ranges::find(level_names, name);
  if (found == level_names.end()) return std::nullopt;
  return static_cast<ThinkingLevel>(found - level_names.begin());
}

}  // namespace skein::model
