#include "core/model/provider.h"

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

namespace {

// Roles, brackets and names that every wire format adds.
constexpr std::int64_t per_block = 3, per_message = 4, per_tool = 8;

struct BlockCost {
  std::int64_t operator()(const Text& text) const {
    return tokens_of(text.text) + tokens_of(text.provider_data);
  }
  std::int64_t operator()(const Thinking& thinking) const {
    return tokens_of(thinking.thinking) + tokens_of(thinking.signature) +
           tokens_of(thinking.provider_data);
  }
  std::int64_t operator()(const Image&) const { return tokens_of_image; }
  std::int64_t operator()(const ToolUse& call) const {
    return tokens_of(call.id) + tokens_of(call.name) + tokens_of(call.input) +
           tokens_of(call.provider_data);
  }
  std::int64_t operator()(const Opaque& opaque) const { return tokens_of(opaque.raw); }
  std::int64_t operator()(const ToolResult& result) const {
    std::int64_t sum = tokens_of(result.tool_use_id) + tokens_of(result.provider_data);
    for (const ResultBlock& block : result.content) sum += per_block + std::visit(*this, block);
    return sum;
  }
};

}  // namespace

std::int64_t tokens_of(std::string_view text) {
  std::int64_t quarters = static_cast<std::int64_t>(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    quarters += (byte >= 0xE0) + 3 * (byte >= 0xF0);
  }
  return (quarters + 3) / 4;
}

std::int64_t tokens_of(const Block& block) { return per_block + std::visit(BlockCost{}, block); }

std::int64_t tokens_of(const Message& message) {
  std::int64_t sum = per_message;
  for (const Block& block : message.content) sum += tokens_of(block);
  return sum;
}

std::int64_t tokens_of(const ToolSpec& tool) {
  return per_tool + tokens_of(tool.name) + tokens_of(tool.description) + tokens_of(tool.schema);
}

}  // namespace skein::model
