#include "core/context.h"

#include <algorithm>

#include "core/json.h"

namespace skein {

namespace {

constexpr const char* mask_text = "[redacted]";

// Summaries come as a user's words: every provider takes those.
Message summary_message(const char* introduction, const std::string& summary) {
  return user_message(std::string(introduction) + "\n\n" + summary);
}

std::string member(const Entry& entry, const char* name) {
  const std::optional<Json> payload = parse_json(entry.payload);
  return payload ? string_at(*payload, name) : std::string{};
}

void add_entry(std::vector<Message>& out, const Entry& entry, const std::set<Id>& redacted) {
  if (entry.type == type::branch_summary)
    out.push_back(
        summary_message("Summary of another branch of this conversation:",
                        redacted.contains(entry.id) ? mask_text : member(entry, "summary")));
  if (entry.type != type::message) return;
  std::optional<Message> message = message_from_json(entry.payload);
  if (!message) return;
  out.push_back(redacted.contains(entry.id) ? masked(std::move(*message)) : std::move(*message));
}

}  // namespace

Message masked(Message message) {
  const auto text_only = [](Text& text) { text = Text{mask_text}; };
  for (Block& block : message.content) {
    if (auto* text = std::get_if<Text>(&block)) text_only(*text);
    if (auto* call = std::get_if<ToolUse>(&block)) *call = ToolUse{call->id, call->name};
    if (auto* result = std::get_if<ToolResult>(&block))
      *result = ToolResult{result->tool_use_id, {Text{mask_text}}, result->is_error};
  }
  // Thinking, images and what we do not know cannot be masked in place, so they go.
  std::erase_if(message.content, [](const Block& block) {
    return std::holds_alternative<Thinking>(block) || std::holds_alternative<Image>(block) ||
           std::holds_alternative<Opaque>(block);
  });
  if (message.content.empty()) message.content.emplace_back(Text{mask_text});
  message.error.clear();
  return message;
}

Entry masked(const Entry& entry, const std::set<Id>& redacted) {
  if (!redacted.contains(entry.id)) return entry;
  Entry out = entry;
  const auto message =
      entry.type == type::message ? message_from_json(entry.payload) : std::nullopt;
  out.payload = message ? to_json(masked(*message)) : dump({{"redacted", true}});
  out.meta.clear();
  return out;
}

std::vector<Message> messages_of(std::span<const Entry> path, const std::set<Id>& redacted) {
  std::vector<Message> out;
  std::size_t from = 0;
  for (std::size_t i = path.size(); i-- > 0;) {
    if (path[i].type != type::compaction_summary) continue;
    out.push_back(
        summary_message("Summary of the conversation so far:",
                        redacted.contains(path[i].id) ? mask_text : member(path[i], "summary")));
    const auto kept = first_kept(path[i]);
    const auto first =
        std::ranges::find_if(path, [&](const Entry& each) { return each.id == kept; });
    from = std::min(i, static_cast<std::size_t>(first - path.begin()));
    break;
  }
  for (const Entry& entry : path.subspan(from)) add_entry(out, entry, redacted);
  return out;
}

std::optional<Id> first_kept(const Entry& entry) {
  if (entry.type != type::compaction_summary) return std::nullopt;
  return parse_id(member(entry, "firstKeptEntryId")).value_or(entry.id);
}

}  // namespace skein
