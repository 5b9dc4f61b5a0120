#include "core/model/redaction.h"

#include "core/model/payloads.h"
#include "core/text/json.h"

namespace skein::model {

Message masked(Message message) {
  const bool said_something = !message.content.empty();
  const auto text_only = [](Text& text) { text = Text{redacted_text}; };
  for (Block& block : message.content) {
    if (auto* text = std::get_if<Text>(&block)) text_only(*text);
    if (auto* call = std::get_if<ToolUse>(&block)) *call = ToolUse{call->id, call->name};
    if (auto* result = std::get_if<ToolResult>(&block))
      *result = ToolResult{result->tool_use_id, {Text{redacted_text}}, result->is_error};
  }
  // Thinking, images and what we do not know cannot be masked in place, so they go.
  std::erase_if(message.content, [](const Block& block) {
    return std::holds_alternative<Thinking>(block) || std::holds_alternative<Image>(block) ||
           std::holds_alternative<Opaque>(block);
  });
  if (said_something && message.content.empty()) message.content.emplace_back(Text{redacted_text});
  message.error.clear();
  return message;
}

Entry masked(const Entry& entry, const std::set<Id>& redacted) {
  if (redacted.empty()) return entry;
  // The pieces of an answer say what it says.
  const auto pieces = entry.type == type::message_delta_batch
                          ? read_as<payload::MessageDeltaBatch>(entry)
                          : std::nullopt;
  if (!redacted.contains(pieces ? pieces->message : entry.id)) return entry;
  Entry out = entry;
  const auto message = message_of(entry);
  out.payload = message ? to_json(masked(*message)) : dump({{"redacted", true}});
  out.meta.clear();
  return out;
}

}  // namespace skein::model
