#include "core/exchange/importers/anthropic.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/exchange/importers/anthropic_blocks.h"
#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_records.h"
#include "core/exchange/importers/message_giver.h"
#include "core/text/sha256.h"
#include "core/text/text.h"

namespace skein::exchange::importers {

namespace {

bool has_any_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Without the white space of texts that were made for people.
std::string squeezed(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out),
                       [](char c) { return c != ' ' && c != '\n' && c != '\r' && c != '\t'; });
  return out;
}

bool is_anthropic(const SourceFile& file) {
  const std::string head = file.head();
  const std::string text = squeezed(head.starts_with("\xEF\xBB\xBF") ? head.substr(3) : head);
  const bool array = text.starts_with("[{");
  const std::size_t messages = text.find("\"messages\":[{");
  if (!array && (!text.starts_with('{') || messages == std::string::npos)) return false;
  const std::string_view first =
      std::string_view(text).substr(array ? 0 : messages).substr(0, std::size_t{8} << 10);
  if (first.find("\"role\":") == std::string_view::npos ||
      first.find("\"content\":") == std::string_view::npos)
    return false;
  // Those of OpenAI and Google, and of programs that number their messages.
  if (has_any_of(text, {"\"function\":{", "\"tool_call_id\":", "\"parts\":[", "\"role\":\"system\"",
                        "\"role\":\"developer\"", "\"role\":\"model\"", "\"image_url\":"}))
    return false;
  // Without a sign of Anthropic's it may be anybody's, and is read as OpenAI's.
  if (!has_any_of(text,
                  {"\"type\":\"tool_use\"", "\"type\":\"tool_result\"", "\"type\":\"thinking\"",
                   "\"stop_reason\":", "\"tool_calls\":", "\"toolCalls\":", "\"model\":\"claude"}))
    return false;
  return !has_any_of(first, {"\"timestamp\":", "\"uuid\":"}) ||
         has_any_of(text, {"\"type\":\"tool_use\"", "\"stop_reason\":"});
}

// `tool_calls` and `thinking` beside the content.
void add_beside(std::vector<model::Block>& blocks, const Json& message, const std::string& id) {
  if (const std::string thinking = string_at(message, "thinking"); !thinking.empty())
    blocks.insert(blocks.begin(), model::Thinking{.thinking = thinking});
  const Json& calls =
      at(message, "tool_calls").is_array() ? at(message, "tool_calls") : at(message, "toolCalls");
  if (!calls.is_array()) return;
  for (const Json& call : calls) {
    const Json* input = &at(call, "input");
    for (const char* key : {"params", "arguments", "args"})
      if (input->is_null()) input = &at(call, key);
    std::string call_id = string_at(call, "id");
    if (call_id.empty()) call_id = "call_" + id + "_" + std::to_string(blocks.size());
    const bool known = std::ranges::any_of(blocks, [&](const model::Block& block) {
      const auto* const use = std::get_if<model::ToolUse>(&block);
      return use != nullptr && use->id == call_id;
    });
    if (!known && blocks.size() < 4096)
      blocks.emplace_back(
          model::ToolUse{std::move(call_id), string_at(call, "name"), call_input(*input)});
  }
}

void give_anthropic_message(const Json& message, std::size_t place, MessageGiver& giver,
                            AnthropicBlocks& reader, Receiver& receiver) {
  const std::string role = string_at(message, "role");
  const std::string id = id_or_hash(message, place);
  MessageGiver::Place where{.id = id, .time = time_from(at(message, "timestamp"))};
  if (role == "assistant") {
    model::Message answer{.provider = "anthropic", .model = string_at(message, "model")};
    answer.content = reader.content(at(message, "content"), id);
    add_beside(answer.content, message, id);
    answer.stop = anthropic_stop(string_at(message, "stop_reason"));
    if (at(message, "usage").is_object()) answer.usage = anthropic_usage(at(message, "usage"));
    if (reader.take_left_out()) where.raw = dump(message);
    return giver.answer(std::move(where), std::move(answer));
  }
  if (role == "tool") {
    std::string call = string_at(message, "tool_use_id");
    for (const char* key : {"toolCallId", "tool_call_id"})
      if (call.empty()) call = string_at(message, key);
    model::ToolResult result{
        .tool_use_id = std::move(call),
        .content = reader.result_content(at(message, "content")),
        .is_error = bool_at(message, "is_error") || bool_at(message, "isError")};
    return giver.user(std::move(where), {std::move(result)});
  }
  if (role == "user") {
    std::vector<model::Block> blocks = reader.content(at(message, "content"), id);
    (void)reader.take_left_out();
    return giver.user(std::move(where), std::move(blocks));
  }
  if (role == "system")
    if (const Json& content = at(message, "content"); content.is_string())
      return giver.context(std::move(where), {"instructions", content.get<std::string>()});
  receiver.lose("messages of an unknown kind");
}

void read_anthropic(const SourceFile& file, const ReadOptions&, Receiver& receiver) {
  const Json whole = whole_json(file);
  const Json& messages = whole.is_array() ? whole : at(whole, "messages");
  if (!messages.is_array() || messages.empty()) return;
  std::string id = string_at(whole, "id");
  for (const char* key : {"session_id", "sessionId"})
    if (id.empty()) id = string_at(whole, key);
  // What the file begins with stays, whatever it grows to.
  if (id.empty() || id.size() > 128)
    id = name_without_ending(file) + "-" + sha256_hex(dump(messages.front())).substr(0, 8);
  if (!receiver.begin({.id = std::move(id),
                       .cwd = string_at(whole, "cwd"),
                       .title = string_at(whole, "title")}))
    return;
  MessageGiver giver(receiver);
  AnthropicBlocks reader(receiver);
  if (const std::string system = string_at(whole, "system"); !system.empty())
    giver.context({.id = "system"}, {"instructions", system});
  for (std::size_t i = 0; i < messages.size(); ++i)
    give_anthropic_message(messages[i], i, giver, reader, receiver);
  giver.finish();
}

}  // namespace

Format anthropic() {
  return {"anthropic", "Anthropic messages", "anthropic", is_anthropic, read_anthropic, nullptr};
}

}  // namespace skein::exchange::importers
