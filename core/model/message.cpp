#include "core/model/message.h"

#include <array>
#include <utility>

#include "core/model/usage_json.h"
#include "core/text/json.h"
#include "core/text/json_writer.h"

namespace skein::model {

namespace {

constexpr std::array<std::pair<Role, std::string_view>, 3> role_names{{
    {Role::user, "user"},
    {Role::assistant, "assistant"},
    {Role::tool, "tool"},
}};

constexpr std::array<std::pair<Stop, std::string_view>, 8> stop_names{{
    {Stop::none, ""},
    {Stop::stop, "stop"},
    {Stop::length, "length"},
    {Stop::tool_use, "tool_use"},
    {Stop::refusal, "refusal"},
    {Stop::aborted, "aborted"},
    {Stop::interrupted, "interrupted"},
    {Stop::error, "error"},
}};

template <class Table, class Value>
std::string_view name_for(const Table& table, Value value) {
  for (const auto& [each, text] : table)
    if (each == value) return text;
  return {};
}

template <class Table>
auto value_in(const Table& table, std::string_view text)
    -> std::optional<decltype(table.front().first)> {
  for (const auto& [each, known] : table)
    if (known == text) return each;
  return std::nullopt;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

struct BlockWriter {
  std::string& out;

  void operator()(const Text& block) const {
    JsonWriter object(out);
    object.text("type", "text");
    object.text("text", block.text);
    finish(object, block.provider_data);
  }
  void operator()(const Thinking& block) const {
    JsonWriter object(out);
    object.text("type", "thinking");
    object.text("thinking", block.thinking);
    object.text_if("signature", block.signature);
    if (block.redacted) object.raw("redacted", "true");
    finish(object, block.provider_data);
  }
  void operator()(const Image& block) const {
    JsonWriter object(out);
    object.text("type", "image");
    object.text("mimeType", block.mime_type);
    object.text("blob", block.blob);
    finish(object, block.provider_data);
  }
  void operator()(const ToolUse& block) const {
    JsonWriter object(out);
    object.text("type", "tool_use");
    object.text("id", block.id);
    object.text("name", block.name);
    object.raw("input", block.input.empty() ? "{}" : block.input);
    finish(object, block.provider_data);
  }
  void operator()(const ToolResult& block) const {
    JsonWriter object(out);
    object.text("type", "tool_result");
    object.text("tool_use_id", block.tool_use_id);
    std::string content = "[";
    for (const ResultBlock& each : block.content) {
      if (content.size() > 1) content += ',';
      std::visit(BlockWriter{content}, each);
    }
    object.raw("content", content + "]");
    object.raw("isError", block.is_error ? "true" : "false");
    object.text_if("blob", block.blob);
    finish(object, block.provider_data);
  }
  void operator()(const Opaque& block) const {
    JsonWriter object(out);
    object.text("type", "opaque");
    object.text("provider", block.provider);
    object.raw("raw", block.raw.empty() ? "null" : block.raw);
    object.end();
  }

 private:
  static void finish(JsonWriter& object, const JsonText& provider_data) {
    object.raw_if("providerData", provider_data);
    object.end();
  }
};

JsonText to_json(const Usage& usage) {
  std::string out;
  JsonWriter object(out);
  object.raw("input", std::to_string(usage.input));
  object.raw("output", std::to_string(usage.output));
  object.raw("cacheRead", std::to_string(usage.cache_read));
  object.raw("cacheWrite", std::to_string(usage.cache_write));
  object.number_if("reasoning", usage.reasoning);
  object.end();
  return out;
}

Block block_from(const Json& json);

std::vector<ResultBlock> result_content(const Json& content) {
  std::vector<ResultBlock> out;
  if (content.is_string()) out.emplace_back(Text{content.get<std::string>()});
  if (!content.is_array()) return out;
  for (const Json& each : content) {
    Block block = block_from(each);
    if (auto* text = std::get_if<Text>(&block))
      out.emplace_back(std::move(*text));
    else if (auto* image = std::get_if<Image>(&block))
      out.emplace_back(std::move(*image));
    else if (auto* opaque = std::get_if<Opaque>(&block))
      out.emplace_back(std::move(*opaque));
    else
      out.emplace_back(Opaque{"", dump(each)});
  }
  return out;
}

Block block_from(const Json& json) {
  const std::string type = string_at(json, "type");
  const JsonText data = text_at(json, "providerData");
  if (type == "text") return Text{string_at(json, "text"), data};
  if (type == "thinking")
    return Thinking{string_at(json, "thinking"), string_at(json, "signature"),
                    bool_at(json, "redacted"), data};
  if (type == "image") return Image{string_at(json, "mimeType"), string_at(json, "blob"), {}, data};
  if (type == "tool_use") {
    const JsonText input = text_at(json, "input");
    return ToolUse{string_at(json, "id"), string_at(json, "name"), input.empty() ? "{}" : input,
                   data};
  }
  if (type == "tool_result")
    return ToolResult{string_at(json, "tool_use_id"), result_content(at(json, "content")),
                      bool_at(json, "isError"), string_at(json, "blob"), data};
  if (type == "opaque") return Opaque{string_at(json, "provider"), dump(at(json, "raw"))};
  return Opaque{"", dump(json)};
}

}  // namespace

Usage& operator+=(Usage& total, const Usage& more) {
  // Transcripts come from anywhere, and a sum may be a sum of sums.
  constexpr std::int64_t most = 1'000'000'000'000'000;
  const auto add = [](std::int64_t& to, std::int64_t count) {
    if (count > 0 && count <= most && to <= most) to += count;
  };
  add(total.input, more.input);
  add(total.output, more.output);
  add(total.cache_read, more.cache_read);
  add(total.cache_write, more.cache_write);
  add(total.reasoning, more.reasoning);
  return total;
}

Message user_message(std::string text) {
  return Message{.role = Role::user, .content = {Text{std::move(text)}}};
}

bool is_prompt(const Message& message) {
  return message.role == Role::user && !message.continuation;
}

// Texts that follow each other directly are pieces of one: some providers cut where a source is
// cited, in the middle of a sentence.
std::string plain_text(const Message& message) {
  std::string out;
  bool apart = false;
  for (const Block& block : message.content) {
    const auto* text = std::get_if<Text>(&block);
    if (text != nullptr && !text->text.empty()) {
      if (apart && !out.empty() && !is_space(out.back()) && !is_space(text->text.front()))
        out += "\n\n";
      out += text->text;
      apart = false;
    }
    apart = apart || text == nullptr;
  }
  return out;
}

std::vector<const ToolUse*> tool_uses(const Message& message) {
  std::vector<const ToolUse*> out;
  for (const Block& block : message.content)
    if (const auto* call = std::get_if<ToolUse>(&block)) out.push_back(call);
  return out;
}

std::string_view name(Role role) { return name_for(role_names, role); }
std::string_view name(Stop stop) { return name_for(stop_names, stop); }

JsonText to_json(const Message& message) {
  std::string content = "[";
  for (const Block& block : message.content) {
    if (content.size() > 1) content += ',';
    std::visit(BlockWriter{content}, block);
  }
  std::string out;
  JsonWriter object(out);
  object.text("role", name(message.role));
  if (message.continuation) object.raw("continuation", "true");  // where a scan need not look far
  object.raw("content", content + "]");
  object.text_if("provider", message.provider);
  object.text_if("model", message.model);
  object.text_if("stopReason", name(message.stop));
  object.text_if("errorMessage", message.error);
  if (message.usage) object.raw("usage", to_json(*message.usage));
  object.number_if("durationMs", message.duration_ms);
  object.end();
  return out;
}

std::optional<Message> message_from_json(std::string_view payload) {
  const std::optional<Json> json = parse_json(payload);
  if (!json) return std::nullopt;
  const auto role = value_in(role_names, string_at(*json, "role"));
  if (!role) return std::nullopt;

  Message message{.role = *role};
  const Json& content = at(*json, "content");
  if (content.is_string()) message.content.emplace_back(Text{content.get<std::string>()});
  if (content.is_array())
    for (const Json& block : content) message.content.push_back(block_from(block));
  message.continuation = *role == Role::user && bool_at(*json, "continuation");
  message.provider = string_at(*json, "provider");
  message.model = string_at(*json, "model");
  // A reason we do not know is a plain stop: what counts later is the content.
  message.stop = value_in(stop_names, string_at(*json, "stopReason")).value_or(Stop::stop);
  message.error = string_at(*json, "errorMessage");
  message.usage = usage_in(*json);
  message.duration_ms = int_at(*json, "durationMs");
  return message;
}

}  // namespace skein::model
