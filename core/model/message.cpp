#include "core/model/message.h"

#include "core/model/usage_json.h"
#include "core/text/json.h"
#include "core/text/request_text.h"
#include "core/text/text.h"

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

template <class Blocks>
void write_array(std::string& out, const Blocks& blocks);

struct BlockWriter {
  std::string& out;

  void operator()(const Text& block) const {
    write("text", block, [&](JsonWriter& object) { object.text("text", block.text); });
  }
  void operator()(const Thinking& block) const {
    write("thinking", block, [&](JsonWriter& object) {
      object.text("thinking", block.thinking);
      object.text_if("signature", block.signature);
      if (block.redacted) object.truth("redacted", true);
    });
  }
  void operator()(const Image& block) const {
    write("image", block, [&](JsonWriter& object) {
      object.text("mimeType", block.mime_type);
      object.text("blob", block.blob);
    });
  }
  void operator()(const ToolUse& block) const {
    write("tool_use", block, [&](JsonWriter& object) {
      object.text("id", block.id);
      object.text("name", block.name);
      object.raw("input", block.input.empty() ? "{}" : block.input);
    });
  }
  void operator()(const ToolResult& block) const {
    write("tool_result", block, [&](JsonWriter& object) {
      object.text("tool_use_id", block.tool_use_id);
      object.open("content");
      write_array(out, block.content);
      object.truth("isError", block.is_error);
      object.text_if("blob", block.blob);
    });
  }
  void operator()(const Opaque& block) const {
    write("opaque", block, [&](JsonWriter& object) {
      object.text("provider", block.provider);
      object.raw("raw", block.raw.empty() ? "null" : block.raw);
    });
  }

 private:
  template <class AnyBlock>
  void write(std::string_view type, const AnyBlock& block, const auto& members) const {
    JsonWriter object(out);
    object.text("type", type);
    members(object);
    if constexpr (requires { block.provider_data; })
      object.raw_if("providerData", block.provider_data);
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

constexpr std::string_view before_name = "\n\n[", after_name = "]";

// The name in a block that attachment_text made.
std::optional<std::string_view> name_in(const Block& block) {
  const auto* text = std::get_if<Text>(&block);
  if (text == nullptr || !text->text.starts_with(before_name)) return std::nullopt;
  const std::string_view rest = std::string_view(text->text).substr(before_name.size());
  const std::size_t end = rest.find(after_name);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view behind = rest.substr(end + after_name.size());
  if (!behind.empty() && !behind.starts_with("\n")) return std::nullopt;
  return rest.substr(0, end);
}

}  // namespace

Message user_message(std::string text) {
  return Message{.role = Role::user, .content = {Text{std::move(text)}}};
}

bool is_prompt(const Message& message) {
  return message.role == Role::user && !message.continuation;
}

// Texts that follow each other directly are pieces of one: some providers cut where a source is
// cited, in the middle of a sentence.
std::string plain_text(const ToolResult& result) {
  std::string out;
  for (const ResultBlock& block : result.content)
    if (const auto* text = std::get_if<Text>(&block)) out += text->text;
  return out;
}

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
  message.usage = usage_from(at(*json, "usage"));
  message.transformed = transformed_in(*json);
  message.duration_ms = int_at(*json, "durationMs");
  message.first_token_ms = int_at(*json, "firstTokenMs");
  return message;
}

Ending ending_of(Stop stop, std::string_view error, bool empty) {
  const std::string detail = error.empty() ? "" : ": " + std::string(error);
  switch (stop) {
    case Stop::stop: return empty ? Ending{"the model sent an empty answer", true} : Ending{};
    case Stop::length:
      return {empty ? "the model reached its output limit before it said anything"
                    : "the answer is not complete: the model reached its output limit",
              true};
    case Stop::refusal: return {"the answer was refused or filtered" + detail, true};
    case Stop::interrupted: return {"the answer was cut short" + detail, true};
    case Stop::error: return {error.empty() ? "the turn failed" : std::string(error)};
    case Stop::none:
    case Stop::tool_use:
    case Stop::aborted: break;
  }
  return {};
}

bool says_something(const Message& message) {
  return std::ranges::any_of(message.content, [](const Block& block) {
    const auto* text = std::get_if<Text>(&block);
    return std::holds_alternative<Image>(block) || (text && !is_blank(text->text));
  });
}

bool is_empty_answer(const Message& reply) {
  return std::ranges::none_of(reply.content, [](const Block& block) {
    const auto* text = std::get_if<Text>(&block);
    return text != nullptr ? !is_blank(text->text) : !std::holds_alternative<Thinking>(block);
  });
}

Text attachment_text(const std::string& name, const std::string& body) {
  return {std::string(before_name) + name + std::string(after_name) + body};
}

std::string words_alone(const Message& message) {
  if (message.role != Role::user) return plain_text(message);
  std::string out;
  for (const Block& block : message.content)
    if (const auto* text = std::get_if<Text>(&block);
        text && (&block == &message.content.front() || !name_in(block)))
      out += text->text;
  return out;
}

std::vector<std::string> attached_names(const Message& message) {
  std::vector<std::string> out;
  // The first block is always words, whatever they look like.
  for (std::size_t i = 1; i < message.content.size(); ++i)
    if (const auto name = name_in(message.content[i])) out.emplace_back(*name);
  return out;
}

bool was_refused(const ToolResult& result) {
  const auto* first = result.content.empty() ? nullptr : std::get_if<Text>(&result.content[0]);
  return result.is_error && first != nullptr && first->text.starts_with(refusal_opening);
}

std::string refusal_words(const ToolResult& result) {
  const auto* first = result.content.empty() ? nullptr : std::get_if<Text>(&result.content[0]);
  if (first == nullptr || !first->text.starts_with(refusal_opening)) return "refused";
  return "refused" + first->text.substr(refusal_opening.size());
}

}  // namespace skein::model
