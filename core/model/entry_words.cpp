#include "core/model/entry_words.h"

#include <algorithm>
#include <variant>

#include "core/model/tool.h"

namespace skein::model {

namespace {

// What the user did not allow has not failed.
bool failed(const ToolResult& result) { return result.is_error && !was_refused(result); }

bool any_result(const Message& message, bool (*is)(const ToolResult&)) {
  return std::ranges::any_of(message.content, [&](const Block& block) {
    const auto* result = std::get_if<ToolResult>(&block);
    return result != nullptr && is(*result);
  });
}

void add(std::string& out, std::string_view line) {
  if (!out.empty()) out += '\n';
  out += line;
}

void add(std::string& out, const ToolResult& result) {
  if (was_refused(result)) return add(out, "○ " + refusal_words(result));
  if (result.is_error) add(out, "✗ failed:");
  for (const ResultBlock& part : result.content)
    if (const auto* text = std::get_if<Text>(&part)) add(out, text->text);
}

}  // namespace

std::string kind_of(const Entry& entry) {
  const std::optional<Message> message = message_of(entry);
  if (!message) return "[" + entry.type + "]";
  return std::string(name(message->role)) + (any_result(*message, failed)        ? " failed"
                                             : any_result(*message, was_refused) ? " refused"
                                                                                 : "");
}

bool is_failed_result(const Entry& entry) {
  const std::optional<Message> message = message_of(entry);
  return message && any_result(*message, failed);
}

std::string words_of(const Entry& entry, Thoughts thoughts) {
  const std::optional<Message> message = message_of(entry);
  if (!message) {
    std::string words = preview(entry, 2000);
    return words == kind_of(entry) ? std::string{} : words;
  }
  std::string out;
  for (const Block& block : message->content) {
    if (const auto* text = std::get_if<Text>(&block)) add(out, text->text);
    if (const auto* thinking = std::get_if<Thinking>(&block);
        thinking && thoughts == Thoughts::shown && !thinking->thinking.empty())
      add(out, "(thinking) " + thinking->thinking);
    if (const auto* call = std::get_if<ToolUse>(&block))
      add(out, "→ " + call->name + " " + call->input);
    if (const auto* result = std::get_if<ToolResult>(&block)) add(out, *result);
  }
  if (!message->error.empty()) add(out, "error: " + message->error);
  return out;
}

}  // namespace skein::model
