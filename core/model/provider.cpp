#include "core/model/provider.h"

#include <algorithm>
#include <iterator>

namespace skein::model {

constexpr std::string_view level_names[] = {"off", "low", "medium", "high"};

std::string_view name(ThinkingLevel level) { return level_names[static_cast<std::size_t>(level)]; }

std::optional<ThinkingLevel> parse_thinking_level(std::string_view name) {
  const auto* const found = std::ranges::find(level_names, name);
  if (found == std::end(level_names)) return std::nullopt;
  return static_cast<ThinkingLevel>(found - level_names);
}

}  // namespace skein::model
