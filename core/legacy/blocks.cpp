#include "core/legacy/blocks.h"

#include <algorithm>
#include <span>

#include "core/text/base64.h"
#include "core/text/image_type.h"
#include "core/text/sha256.h"

namespace skein::legacy {

namespace {

constexpr std::size_t max_image_bytes = std::size_t{64} << 20;  // what a blob may have

std::string text_of(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  return content.is_null() ? std::string{} : dump(content);
}

// What of a message may stand in a result.
std::vector<model::ResultBlock> as_result(const std::vector<model::Block>& content) {
  std::vector<model::ResultBlock> out;
  for (const model::Block& each : content) {
    if (const auto* text = std::get_if<model::Text>(&each)) out.emplace_back(*text);
    if (const auto* image = std::get_if<model::Image>(&each)) out.emplace_back(*image);
    if (const auto* raw = std::get_if<model::Opaque>(&each)) out.emplace_back(*raw);
  }
  if (out.empty()) out.emplace_back(model::Text{});
  return out;
}

bool has_call(std::span<const model::Block> content, const Json& call) {
  return std::ranges::any_of(content, [&](const model::Block& block) {
    const auto* there = std::get_if<model::ToolUse>(&block);
    return there != nullptr && there->name == string_at(call, "name") &&
           there->input == object_text(at(call, "args"));
  });
}

std::string role_of(const Json& message) {
  const std::string role = string_at(message, "role");
  if (role == "model") return "assistant";
  return role == "function" ? "tool" : role;
}

}  // namespace

std::string time_of(const Json& value) {
  if (value.is_number()) {
    const double number = value.get<double>();
    if (!(number > 0) || number > 1e14) return {};
    return utc_from_ms(static_cast<std::int64_t>(number < 1e11 ? number * 1000 : number));
  }
  if (!value.is_string()) return {};
  const auto ms = ms_from_utc(value.get<std::string>());
  return ms ? utc_from_ms(*ms) : std::string{};
}

const Json& first_of(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (!at(object, key).is_null()) return at(object, key);
  return at(object, *keys.begin());
}

JsonText object_text(const Json& value) {
  if (value.is_object()) return dump(value);
  if (value.is_string())
    if (const auto parsed = parse_json(value.get<std::string>()); parsed && parsed->is_object())
      return dump(*parsed);
  return value.is_null() ? "{}" : dump({{"input", value}});
}

Message Blocks::message(const Json& json) {
  Message out{.role = role_of(json),
              .time = time_of(first_of(json, {"timestamp", "ts", "created_at"})),
              .json = json};
  const Json& parts = at(json, "parts");
  if (parts.is_string()) out.content.emplace_back(model::Text{parts.get<std::string>()});
  if (parts.is_array())
    for (const Json& each : parts) out.content.push_back(part(each));
  if (parts.is_null()) out.content = content(at(json, "content"));
  // Kept in the message, not as a block of it.
  if (out.role == "tool" && parts.is_null()) {
    model::ToolResult result{
        .tool_use_id = string_at(json, "tool_call_id", string_at(json, "toolCallId")),
        .is_error = bool_at(json, "isError") || bool_at(json, "is_error")};
    result.content = as_result(out.content);
    if (std::ranges::none_of(out.content, [](const model::Block& block) {
          return std::holds_alternative<model::ToolResult>(block);
        })) {
      out.content.clear();
      out.content.emplace_back(std::move(result));
    }
  }
  // Calls of Google's models next to the parts, which may hold the same ones.
  const std::size_t in_parts = out.content.size();
  for (const Json& call : at(json, "functionCalls"))
    if (call.is_object() && !has_call(std::span(out.content).first(in_parts), call))
      out.content.push_back(part({{"functionCall", call}}));
  for (const Json& call : first_of(json, {"tool_calls", "toolCalls"})) {
    const Json& function = at(call, "function");
    const Json& where = function.is_object() ? function : call;
    out.content.emplace_back(
        model::ToolUse{string_at(call, "id"), string_at(where, "name"),
                       object_text(first_of(where, {"arguments", "input", "params"}))});
  }
  return out;
}

std::vector<model::Block> Blocks::content(const Json& json) {
  std::vector<model::Block> out;
  // Some keep the blocks as a string.
  if (json.is_string() && json.get_ref<const std::string&>().starts_with("[{"))
    if (const auto parsed = parse_json(json.get_ref<const std::string&>());
        parsed && std::ranges::all_of(*parsed, [](const Json& each) {
          return each.is_object() && each.contains("type");
        }))
      return content(*parsed);
  if (json.is_array()) {
    for (const Json& each : json) out.push_back(block(each));
    return out;
  }
  if (std::string text = text_of(json); !text.empty())
    out.emplace_back(model::Text{std::move(text)});
  return out;
}

model::Block Blocks::block(const Json& json) {
  if (json.is_string()) return model::Text{json.get<std::string>()};
  const std::string type = string_at(json, "type");
  if (type == "text" || type == "input_text" || type == "output_text")
    return model::Text{string_at(json, "text"), text_at(json, "providerData")};
  if (type == "image_url" || type == "input_image") {
    const Json& given = at(json, "image_url");
    return image_at(given.is_string() ? given.get<std::string>() : string_at(given, "url"), json);
  }
  if (type == "image" && string_at(json, "blob").empty()) {
    const Json& source = at(json, "source");
    if (string_at(source, "type") == "url") return image_at(string_at(source, "url"), json);
    const Json& from = source.is_object() ? source : json;
    return image(string_at(from, "media_type", string_at(from, "mimeType")),
                 string_at(from, "data"), json);
  }
  if (type == "tool_result")
    return model::ToolResult{string_at(json, "tool_use_id"), result_content(at(json, "content")),
                             bool_at(json, "isError") || bool_at(json, "is_error"),
                             string_at(json, "blob"), text_at(json, "providerData")};
  const auto own =
      model::message_from_json(dump({{"role", "user"}, {"content", Json::array({json})}}));
  if (own && !own->content.empty() &&
      (type == "opaque" || !std::holds_alternative<model::Opaque>(own->content[0])))
    return own->content[0];
  return unknown("a block of the type '" + type + "'", json);
}

model::Block Blocks::part(const Json& json) {
  if (json.is_string()) return model::Text{json.get<std::string>()};
  if (json.contains("text")) {
    if (bool_at(json, "thought")) return model::Thinking{.thinking = string_at(json, "text")};
    return model::Text{string_at(json, "text")};
  }
  if (const Json& data = first_of(json, {"inlineData", "inline_data"}); data.is_object())
    return image(string_at(data, "mimeType", string_at(data, "mime_type")), string_at(data, "data"),
                 json);
  if (const Json& call = first_of(json, {"functionCall", "function_call"}); call.is_object()) {
    const std::string name = string_at(call, "name");
    std::string id = string_at(call, "id");
    if (id.empty()) id = "call_" + std::to_string(++calls_);
    open_calls_[name].push_back(id);
    return model::ToolUse{id, name, object_text(at(call, "args"))};
  }
  const Json& answer = first_of(json, {"functionResponse", "function_response"});
  if (!answer.is_object()) {
    const bool any = json.is_object() && !json.empty();
    return unknown("a part '" + (any ? json.begin().key() : std::string{}) + "'", json);
  }
  std::vector<std::string>& open = open_calls_[string_at(answer, "name")];
  std::string id = string_at(answer, "id");
  if (id.empty() && !open.empty()) id = open.front();
  std::erase(open, id);
  if (id.empty()) id = "call_" + std::to_string(++calls_);
  const Json& response = at(answer, "response");
  const Json& said = first_of(response, {"output", "result", "content", "error"});
  return model::ToolResult{.tool_use_id = id,
                           .content = {model::Text{text_of(said.is_null() ? response : said)}},
                           .is_error = response.is_object() && response.contains("error")};
}

std::vector<model::ResultBlock> Blocks::result_content(const Json& json) {
  return as_result(content(json));
}

model::Block Blocks::image(const std::string& type, const std::string& base64, const Json& raw) {
  std::optional<std::string> bytes = from_base64(base64);
  if (!bytes || bytes->empty()) return unknown("an image that could not be read", raw);
  if (bytes->size() > max_image_bytes) return unknown("an image of more than 64 MiB", raw);
  if (type.empty() ? image_type(*bytes).empty() : !type.starts_with("image/"))
    return unknown("a file of the type '" + type + "'", raw);
  model::Image out{.mime_type = type.empty() ? std::string(image_type(*bytes)) : type,
                   .blob = sha256_hex(*bytes)};
  out_.blobs.push_back(std::move(*bytes));
  return out;
}

// data:image/png;base64,…
model::Block Blocks::image_at(const std::string& url, const Json& raw) {
  const std::size_t comma = url.find(',');
  if (!url.starts_with("data:") || comma == std::string::npos)
    return unknown("an image that is kept elsewhere (" + url.substr(0, 200) + ")", raw);
  std::string type = url.substr(5, comma - 5);
  if (!type.ends_with(";base64")) return unknown("an image that could not be read", raw);
  type.resize(type.find(';'));
  return image(type, url.substr(comma + 1), raw);
}

model::Block Blocks::unknown(const std::string& what, const Json& raw) {
  ++lost_[what];
  return model::Opaque{"", dump(raw)};
}

void Blocks::finish() {
  for (const auto& [what, count] : lost_)
    out_.losses.push_back((count == 1 ? what : what + ", " + std::to_string(count) + " times,") +
                          " is kept as it was written, but no model will see it");
}

}  // namespace skein::legacy
