#include "core/exchange/importers/gemini_parts.h"

#include <algorithm>
#include <utility>

#include "core/exchange/importers/foreign_values.h"
#include "core/text/base64.h"

namespace skein::exchange::importers {

namespace {

// What a function said: its output or error if it is in the usual place, else all of it.
std::string response_text(const Json& response) {
  for (const char* key : {"output", "error", "result", "content"}) {
    const Json& said = at(response, key);
    if (said.is_string()) return said.get<std::string>();
    if (!said.is_null()) return dump(said);
  }
  if (response.is_string()) return response.get<std::string>();
  return response.is_null() || response.empty() ? std::string{} : dump(response);
}

}  // namespace

GeminiContent GeminiParts::read(const Json& content, std::string_view where) {
  GeminiContent out;
  if (content.is_array())
    for (const Json& part : content) add_part(part, where, out);
  else if (!content.is_null())
    add_part(content, where, out);
  return out;
}

void GeminiParts::add_part(const Json& part, std::string_view where, GeminiContent& out) {
  if (part.is_string()) {
    if (const auto& text = part.get_ref<const std::string&>(); !text.empty())
      out.said.emplace_back(model::Text{text});
    return;
  }
  if (!at(part, "thoughtSignature").is_null()) out.unplaced = true;
  if (const Json& text = at(part, "text"); text.is_string()) {
    if (bool_at(part, "thought"))
      out.said.emplace_back(model::Thinking{.thinking = text.get<std::string>()});
    else if (!text.get_ref<const std::string&>().empty())
      out.said.emplace_back(model::Text{text.get<std::string>()});
    return;
  }
  if (const Json& made = at(part, "functionCall"); made.is_object()) {
    out.said.emplace_back(call(made, where, out.calls++));
    return;
  }
  if (const Json& response = at(part, "functionResponse"); response.is_object()) {
    out.results.push_back(result(response));
    return;
  }
  if (const Json& data = at(part, "inlineData"); data.is_object())
    if (auto found = image(data)) {
      out.said.emplace_back(*std::move(found));
      return;
    }
  // A seal alone says nothing.
  if (part.is_object() && part.size() == 1 && out.unplaced) return;
  out.unplaced = true;
  receiver_.lose("attachments and parts of other kinds");
}

model::ToolUse GeminiParts::call(const Json& json, std::string_view where, std::size_t n) {
  model::ToolUse out{.id = string_at(json, "id"),
                     .name = string_at(json, "name"),
                     .input = call_input(at(json, "args"))};
  if (!out.id.empty()) return out;
  out.id = "call_" + short_hash({where, std::to_string(n), out.name, out.input});
  auto& waiting = open_[out.name];
  if (std::ranges::find(waiting, out.id) == waiting.end()) waiting.push_back(out.id);
  if (waiting.size() > 64) waiting.pop_front();  // nobody answers those any more
  return out;
}

model::ToolResult GeminiParts::result(const Json& response) {
  model::ToolResult out{.tool_use_id = string_at(response, "id")};
  if (out.tool_use_id.empty())
    if (const auto found = open_.find(string_at(response, "name"));
        found != open_.end() && !found->second.empty()) {
      out.tool_use_id = found->second.front();
      found->second.pop_front();
    }
  const Json& said = at(response, "response");
  out.content.emplace_back(model::Text{response_text(said)});
  out.is_error = !at(said, "error").is_null() && at(said, "output").is_null();
  if (const Json& parts = at(response, "parts"); parts.is_array())
    for (const Json& part : parts)
      if (auto found = image(at(part, "inlineData"))) out.content.emplace_back(*std::move(found));
  return out;
}

std::optional<model::Image> GeminiParts::image(const Json& data) {
  const std::string type = string_at(data, "mimeType");
  if (!type.starts_with("image/")) return std::nullopt;
  const auto bytes = from_base64(string_at(data, "data"));
  if (!bytes || bytes->empty()) return std::nullopt;
  const std::string blob = receiver_.keep(*bytes);
  if (blob.empty()) return std::nullopt;
  return model::Image{.mime_type = type, .blob = blob};
}

std::optional<model::Usage> usage_of(const GeminiTokens& tokens) {
  if (tokens.prompt + tokens.output + tokens.thoughts + tokens.tools == 0) return std::nullopt;
  const bool apart = tokens.total != tokens.prompt + tokens.tools + tokens.output;
  return model::Usage{
      .input = std::max<std::int64_t>(tokens.prompt - tokens.cached, 0) + tokens.tools,
      .output = tokens.output + (apart ? tokens.thoughts : 0),
      .cache_read = tokens.cached,
      .reasoning = apart ? tokens.thoughts : std::min(tokens.thoughts, tokens.output)};
}

std::string spoken_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  if (content.is_object()) return bool_at(content, "thought") ? "" : string_at(content, "text");
  std::string out;
  if (content.is_array())
    for (const Json& part : content) out += spoken_text(part);
  return out;
}

}  // namespace skein::exchange::importers
