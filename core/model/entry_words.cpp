#include "core/model/entry_words.h"

#include <algorithm>
#include <array>
#include <variant>

#include "core/model/tool.h"
#include "core/text/json.h"

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

// An entry that is no message, as a reader knows it; `kind` is that of a custom entry.
struct Description {
  enum class For { readers, skein };
  std::string_view type, kind, name;
  For meant_for = For::readers;
  std::array<std::string_view, 2> members{};  // what it says
  std::string_view between{};
};
using For = Description::For;
constexpr Description descriptions[] = {
    {type::runtime_init, "", "the session begins", For::skein},
    {type::model_change, "", "model", For::readers, {"provider", "model"}, "/"},
    {type::thinking_level_change, "", "thinking level", For::readers, {"level"}},
    {type::system_prompt_override, "", "system prompt", For::readers, {"text"}},
    {type::compaction_summary, "", "summary", For::readers, {"summary"}},
    {type::branch_summary, "", "summary of another branch", For::readers, {"summary"}},
    {type::redaction, "", "redaction", For::readers, {"reason"}},
    {type::custom, "", "redacted", For::readers},
    {type::custom, "title", "title", For::readers, {"text"}},
    {type::custom, "label", "name of a branch", For::readers, {"text"}},
    {type::custom, "snapshot", "snapshot", For::readers, {"name"}},
    {type::custom, "aside", "side question", For::readers, {"question", "answer"}, "\n"},
    {type::custom, "note", "note", For::readers, {"text"}},
    {type::custom, "permissions", "permission rules", For::readers, {"rules"}},
    {type::custom, "folder", "additional directories", For::readers, {"folders"}},
    {type::custom, "hook", "hook", For::readers, {"event", "command"}, ": "},
    {type::custom, "agent", "sub-agent", For::readers, {"name"}},
    {type::custom, "import", "import", For::readers, {"from", "file"}, ", "},
    {type::custom, "import_context", "imported context", For::readers, {"label", "text"}, "\n"},
    {type::custom, "restore", "files restored", For::readers},
    {type::custom, "orphan_result", "tool result", For::readers, {"text"}},
    {type::custom, "head", "head", For::skein},
    {type::custom, "key", "key", For::skein},
    {type::custom, "ttl", "expiry", For::skein},
    {type::custom, "pin", "pin", For::skein},
    {type::custom, "restored", "restored", For::skein},
    {type::custom, "checkpoint", "checkpoint", For::skein},
    {type::custom, "thinking_off_before", "thinking off", For::skein},
};

const Description* description_of(std::string_view type, const Json& payload) {
  const std::string kind = type == type::custom ? string_at(payload, "kind") : "";
  const auto found = std::ranges::find_if(descriptions, [&](const Description& each) {
    return each.type == type && each.kind == kind;
  });
  return found == std::end(descriptions) ? nullptr : found;
}

// A value without the marks of JSON: "path: a.txt, limit: 3".
std::string plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return dump(value);
  std::string out;
  for (const auto& [name, member] : value.items())
    out += (out.empty() ? "" : ", ") + (value.is_object() ? name + ": " : "") + plain(member);
  return out;
}

// A single argument needs no name.
std::string arguments_of(const ToolUse& call) {
  const std::optional<Json> input = parse_json(call.input);
  if (!input) return call.input;
  return plain(input->is_object() && input->size() == 1 ? *input->begin() : *input);
}

std::string said_by(const Description& description, const Json& payload) {
  std::string out;
  for (const std::string_view member : description.members)
    if (const Json& value = at(payload, member); !value.is_null())
      out += (out.empty() ? "" : std::string(description.between)) + plain(value);
  return out;
}

Json payload_of(const Entry& entry) { return parse_json(entry.payload).value_or(Json()); }

}  // namespace

bool is_for_readers(std::string_view type, std::string_view body) {
  const std::string_view payload =
      type == type::custom ? body.substr(0, bracketed_length(body)) : std::string_view{};
  const Description* known = description_of(type, parse_json(payload).value_or(Json()));
  return known == nullptr || known->meant_for == For::readers;
}

std::string kind_of(const Entry& entry) {
  const std::optional<Message> message = message_of(entry);
  if (!message) {
    const Json payload = payload_of(entry);
    if (const Description* known = description_of(entry.type, payload))
      return std::string(known->name);
    std::string name = string_at(payload, "kind", entry.type);
    std::ranges::replace(name, '_', ' ');
    return name;
  }
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
    const Json payload = payload_of(entry);
    const Description* known = description_of(entry.type, payload);
    std::string words = known ? said_by(*known, payload) : "";
    if (words.empty() && (!known || entry.type != type::custom)) words = preview(entry, 2000);
    return words == "[" + entry.type + "]" || words == string_at(payload, "kind") ? "" : words;
  }
  std::string out;
  for (const Block& block : message->content) {
    if (const auto* text = std::get_if<Text>(&block)) add(out, text->text);
    if (const auto* thinking = std::get_if<Thinking>(&block);
        thinking && thoughts == Thoughts::shown && !thinking->thinking.empty())
      add(out, "(thinking) " + thinking->thinking);
    if (const auto* call = std::get_if<ToolUse>(&block))
      add(out, "→ " + call->name + " " + arguments_of(*call));
    if (const auto* result = std::get_if<ToolResult>(&block)) add(out, *result);
  }
  if (!message->error.empty()) add(out, "error: " + message->error);
  return out;
}

}  // namespace skein::model
