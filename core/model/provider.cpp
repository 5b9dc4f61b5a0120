#include "core/model/provider.h"

#include <algorithm>
#include <iterator>

namespace skein::model {

constexpr std::string_view level_names[thinking_levels] = {"off",  "minimal", "low", "medium",
                                                           "high", "xhigh",   "max"};

std::string_view name(ThinkingLevel level) { return level_names[static_cast<std::size_t>(level)]; }

std::optional<ThinkingLevel> parse_thinking_level(std::string_view name) {
  const auto* const found = std::ranges::find(level_names, name);
  if (found == std::end(level_names)) return std::nullopt;
  return static_cast<ThinkingLevel>(found - level_names);
}

ThinkingLevel nearest(ThinkingLevel wanted, ThinkingLevels taken) {
  if (wanted == ThinkingLevel::off || taken.empty() || taken.has(wanted)) return wanted;
  const auto at = static_cast<std::size_t>(wanted);
  for (std::size_t lower = at - 1; lower > 0; --lower)
    if (const auto level = static_cast<ThinkingLevel>(lower); taken.has(level)) return level;
  for (std::size_t higher = at + 1; higher < thinking_levels; ++higher)
    if (const auto level = static_cast<ThinkingLevel>(higher); taken.has(level)) return level;
  return wanted;
}

}  // namespace skein::model
