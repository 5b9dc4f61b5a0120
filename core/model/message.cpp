#include "core/model/message.h"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include "core/model/usage_json.h"
#include "core/text/json.h"
#include "core/text/json_writer.h"

namespace skein::model {

namespace {

// In the order of the enums.
constexpr std::string_view role_names[] = {"user", "assistant", "tool"};
constexpr std::string_view stop_names[] = {"",        "stop",    "length",      "tool_use",
                                           "refusal", "aborted", "interrupted", "error"};

template <class Enum>
std::optional<Enum> named(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

template <class Blocks>
void write_array(std::string& out, const Blocks& blocks);

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
    if (block.redacted) object.truth("redacted", true);
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
    object.open("content");
    write_array(out, block.content);
    object.truth("isError", block.is_error);
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

template <class Blocks>
void write_array(std::string& out, const Blocks& blocks) {
  out += '[';
  for (const auto& block : blocks) {
    if (&block != &blocks.front()) out += ',';
    std::visit(BlockWriter{out}, block);
  }
  out += ']';
}

void write_usage(std::string& out, const Usage& usage) {
  JsonWriter object(out);
  object.number("input", usage.input);
  object.number("output", usage.output);
  object.number("cacheRead", usage.cache_read);
  object.number("cacheWrite", usage.cache_write);
  object.number_if("reasoning", usage.reasoning);
  object.end();
}

void write_transformed(std::string& out, const std::vector<Transformation>& transformed) {
  out += '[';
  for (const Transformation& each : transformed) {
    if (&each != &transformed.front()) out += ',';
    JsonWriter object(out);
    object.text("type", each.type);
    object.text_if("reason", each.reason);
    object.number("count", each.count);
    object.end();
  }
  out += ']';
}

std::vector<Transformation> transformed_in(const Json& json) {
  std::vector<Transformation> out;
  for (const Json& each : at(json, "transformed"))
    if (each.is_object())
      out.push_back({string_at(each, "type"), string_at(each, "reason"), int_at(each, "count")});
  return out;
}

Block block_from(const Json& json);

std::vector<ResultBlock> result_content(const Json& content) {
  std::vector<ResultBlock> out;
  if (content.is_string()) out.emplace_back(Text{content.get<std::string>()});
  if (!content.is_array()) return out;
  for (const Json& json : content)
    out.push_back(std::visit(
        [&](auto&& block) -> ResultBlock {
          if constexpr (std::is_constructible_v<ResultBlock, decltype(block)>)
            return std::move(block);
          else
            return Opaque{"", dump(json)};
        },
        block_from(json)));
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
  constexpr std::int64_t Usage::*counts[] = {&Usage::input, &Usage::output, &Usage::cache_read,
                                             &Usage::cache_write, &Usage::reasoning};
  Usage counted{.longest = std::min(more.longest, most)};
  for (const auto count : counts)
    if (more.*count > 0 && more.*count <= most) counted.*count = more.*count;
  // Nothing yet is no call.
  const std::int64_t before = total == Usage{} ? 0 : longest_input(total);
  total.longest = std::max(before, longest_input(counted));
  for (const auto count : counts)
    if (total.*count <= most) total.*count += counted.*count;
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

std::string_view name(Role role) { return role_names[static_cast<std::size_t>(role)]; }
std::string_view name(Stop stop) { return stop_names[static_cast<std::size_t>(stop)]; }

JsonText to_json(const Message& message) {
  std::string out;
  JsonWriter object(out);
  object.text("role", name(message.role));
  if (message.continuation) object.truth("continuation", true);  // where a scan need not look far
  object.open("content");
  write_array(out, message.content);
  object.text_if("provider", message.provider);
  object.text_if("model", message.model);
  object.text_if("stopReason", name(message.stop));
  object.text_if("errorMessage", message.error);
  if (message.usage) {
    object.open("usage");
    write_usage(out, *message.usage);
  }
  if (!message.transformed.empty()) {
    object.open("transformed");
    write_transformed(out, message.transformed);
  }
  object.number_if("durationMs", message.duration_ms);
  object.number_if("firstTokenMs", message.first_token_ms);
  object.end();
  return out;
}

std::optional<Message> message_from_json(std::string_view payload) {
  const std::optional<Json> json = parse_json(payload);
  if (!json) return std::nullopt;
  const auto role = named<Role>(role_names, string_at(*json, "role"));
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
  message.stop = named<Stop>(stop_names, string_at(*json, "stopReason")).value_or(Stop::stop);
  message.error = string_at(*json, "errorMessage");
  message.usage = usage_in(*json);
  message.transformed = transformed_in(*json);
  message.duration_ms = int_at(*json, "durationMs");
  message.first_token_ms = int_at(*json, "firstTokenMs");
  return message;
}

}  // namespace skein::model
