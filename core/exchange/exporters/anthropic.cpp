#include "core/exchange/exporters/anthropic.h"

#include "core/exchange/exporters/turns.h"
#include "core/exchange/exporters/whole_output.h"
#include "core/text/json.h"

namespace skein::exchange::exporters {

namespace {

Json anthropic_text(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

Json anthropic_image(const ExportedSession& session, const model::Image& image) {
  LoadedImage loaded = load_image(session, image);
  if (!loaded.there()) return anthropic_text("(an image that is not there any more)");
  return {
      {"type", "image"},
      {"source", {{"type", "base64"}, {"media_type", loaded.mime_type}, {"data", loaded.base64}}}};
}

struct AnthropicBlocks {
  const ExportedSession& session;
  const Turn& turn;
  Json& blocks;

  void operator()(const model::Text& block) const { blocks.push_back(anthropic_text(block.text)); }
  // Only what this service signed comes back to it.
  void operator()(const model::Thinking& block) const {
    const bool its_own = turn.provider.find("anthropic") != std::string::npos ||
                         turn.model.find("claude") != std::string::npos;
    if (block.signature.empty() || !its_own) return;
    blocks.push_back(block.redacted ? Json{{"type", "redacted_thinking"}, {"data", block.signature}}
                                    : Json{{"type", "thinking"},
                                           {"thinking", block.thinking},
                                           {"signature", block.signature}});
  }
  void operator()(const model::Image& block) const {
    blocks.push_back(anthropic_image(session, block));
  }
  void operator()(const model::ToolUse& block) const {
    blocks.push_back({{"type", "tool_use"},
                      {"id", block.id},
                      {"name", block.name},
                      {"input", parse_json(block.input).value_or(Json::object())}});
  }
  void operator()(const model::ToolResult& block) const {
    Json content = Json::array();
    if (const std::string text = words_of(block); !text.empty())
      content.push_back(anthropic_text(text));
    for (const model::ResultBlock& part : block.content)
      if (const auto* image = std::get_if<model::Image>(&part))
        content.push_back(anthropic_image(session, *image));
    Json result{{"type", "tool_result"}, {"tool_use_id", block.tool_use_id}, {"content", content}};
    if (block.is_error) result["is_error"] = true;
    blocks.push_back(std::move(result));
  }
  void operator()(const model::Opaque&) const {}
};

}  // namespace

void write_anthropic(const ExportedSession& session, const Sink& sink) {
  const std::string system = system_of(session);
  sink("{" + (system.empty() ? "" : "\"system\":" + json_string(system) + ",\n") +
       "\"messages\":[");
  bool first = true;
  each_turn(session, [&](const Turn& turn) {
    Json blocks = Json::array();
    for (const model::Block& block : turn.blocks)
      std::visit(AnthropicBlocks{session, turn, blocks}, block);
    if (blocks.empty()) return;
    sink((first ? "\n" : ",\n") +
         dump({{"role", turn.assistant ? "assistant" : "user"}, {"content", blocks}}));
    first = false;
  });
  sink("\n]}\n");
}

}  // namespace skein::exchange::exporters
