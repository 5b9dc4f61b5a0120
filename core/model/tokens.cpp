#include "core/model/tokens.h"

namespace skein::model {

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
