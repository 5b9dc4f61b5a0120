#include "core/exchange/importers/openai_messages.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/exchange/importers/foreign_values.h"
#include "core/legacy/blocks.h"
#include "core/text/base64.h"

namespace skein::exchange::importers {

namespace {

std::vector<model::ResultBlock> as_result(std::vector<model::Block> content) {
  std::vector<model::ResultBlock> out;
  for (model::Block& block : content) {
    if (auto* text = std::get_if<model::Text>(&block)) out.emplace_back(std::move(*text));
    if (auto* picture = std::get_if<model::Image>(&block)) out.emplace_back(std::move(*picture));
  }
  if (out.empty()) out.emplace_back(model::Text{});
  return out;
}

std::string texts_of(const Json& parts) {
  if (parts.is_string()) return parts.get<std::string>();
  std::string out;
  if (parts.is_array())
    for (const Json& part : parts)
      if (const std::string text =
              part.is_string() ? part.get<std::string>() : string_at(part, "text");
          !text.empty())
        out += (out.empty() ? "" : "\n") + text;
  return out;
}

// Whatever it is called by those who speak like OpenAI.
std::string thoughts_of(const Json& message) {
  for (const char* name : {"reasoning_content", "reasoning", "thinking"})
    if (std::string text = string_at(message, name); !text.empty()) return text;
  return {};
}

}  // namespace

model::Stop openai_stop(std::string_view reason, bool calls) {
  if (reason == "length") return model::Stop::length;
  if (reason == "content_filter") return model::Stop::refusal;
  return calls ? model::Stop::tool_use : model::Stop::stop;
}

std::string provider_of_model(std::string_view model) {
  const auto begins = [&](std::string_view with) { return model.starts_with(with); };
  if (begins("gpt-") || begins("chatgpt") || begins("o1") || begins("o3") || begins("o4"))
    return "openai";
  if (begins("claude")) return "anthropic";
  if (begins("gemini")) return "google";
  if (begins("grok")) return "xai";
  return {};
}

std::optional<model::Usage> openai_usage(const Json& usage) {
  if (!usage.is_object()) return std::nullopt;
  const auto count = [&](const char* name, const char* other) {
    return std::max(count_at(usage, name), count_at(usage, other));
  };
  const auto detail = [&](const char* name, const char* other, const char* member) {
    return count_at(legacy::first_of(usage, {name, other}), member);
  };
  const std::int64_t cached =
      detail("prompt_tokens_details", "input_tokens_details", "cached_tokens");
  return model::Usage{
      .input = std::max<std::int64_t>(count("prompt_tokens", "input_tokens") - cached, 0),
      .output = count("completion_tokens", "output_tokens"),
      .cache_read = cached,
      .reasoning =
          detail("completion_tokens_details", "output_tokens_details", "reasoning_tokens")};
}

bool is_openai_message(const Json& json) {
  const std::string role = string_at(json, "role");
  if (!at(json, "parts").is_null() ||
      !(role == "system" || role == "developer" || role == "user" || role == "assistant" ||
        role == "tool" || role == "function"))
    return false;
  const Json& content = at(json, "content");
  if (content.is_string()) return true;
  if (content.is_null()) return json.contains("content") || json.contains("tool_calls");
  // Anthropic's blocks are of other types.
  return content.is_array() && std::ranges::none_of(content, [](const Json& part) {
           const std::string type = string_at(part, "type");
           return type == "tool_use" || type == "tool_result" || type == "thinking" ||
                  type == "redacted_thinking" || type == "image" || type == "document";
         });
}

ArrayMessage OpenaiMessages::read(const Json& message) {
  const std::string role = string_at(message, "role"), type = string_at(message, "type");
  if (role.empty()) return item(message, type);
  if (role == "assistant") return answer(message);
  if (role == "tool" || role == "function")
    return result(message, at(message, "content"),
                  string_at(message, "tool_call_id", string_at(message, "toolCallId")));
  ArrayMessage out;
  if (role != "user") {
    const std::string text = texts_of(at(message, "content"));
    if (!text.empty())
      out.said.emplace_back(
          ForeignContext{role == "system" || role == "developer" ? "instructions" : role, text});
    return out;
  }
  model::Message said{.role = model::Role::user};
  Content parts = content(at(message, "content"));
  said.content = std::move(parts.said);
  out.unplaced = parts.unplaced;
  if (!said.content.empty()) out.said.emplace_back(std::move(said));
  return out;
}

ArrayMessage OpenaiMessages::item(const Json& json, const std::string& type) {
  ArrayMessage out;
  if (type == "function_call_output")
    return result(json, at(json, "output"), string_at(json, "call_id"));
  std::vector<model::Block> said;
  if (type == "function_call") {
    said.emplace_back(model::ToolUse{.id = string_at(json, "call_id"),
                                     .name = string_at(json, "name"),
                                     .input = call_input(at(json, "arguments"))});
  } else if (type == "reasoning") {
    if (std::string text = texts_of(at(json, "summary")); !text.empty())
      said.emplace_back(model::Thinking{.thinking = std::move(text)});
    out.unplaced = !at(json, "encrypted_content").is_null();
  }
  if (said.empty()) {
    receiver_.lose("attachments and parts of other kinds");
    return out;
  }
  out.said.emplace_back(answer_with(std::move(said), json));
  return out;
}

ArrayMessage OpenaiMessages::answer(const Json& json) {
  ArrayMessage out;
  std::vector<model::Block> said;
  if (std::string text = thoughts_of(json); !text.empty())
    said.emplace_back(model::Thinking{.thinking = std::move(text)});
  Content parts = content(at(json, "content"));
  std::ranges::move(parts.said, std::back_inserter(said));
  out.unplaced = parts.unplaced;
  const std::string refusal = string_at(json, "refusal");
  if (!refusal.empty()) said.emplace_back(model::Text{refusal});
  add_calls(json, said);
  if (!at(json, "reasoning_details").is_null()) out.unplaced = true;
  model::Message message = answer_with(std::move(said), json);
  if (!refusal.empty()) message.stop = model::Stop::refusal;
  if (!message.content.empty() || message.usage) out.said.emplace_back(std::move(message));
  return out;
}

model::Message OpenaiMessages::answer_with(std::vector<model::Block> said, const Json& json) {
  model::Message out{.role = model::Role::assistant,
                     .content = std::move(said),
                     .model = string_at(json, "model", model_)};
  out.provider = provider_of_model(out.model);
  out.stop = openai_stop(string_at(json, "finish_reason"), !model::tool_uses(out).empty());
  out.usage = openai_usage(at(json, "usage"));
  return out;
}

void OpenaiMessages::add_calls(const Json& json, std::vector<model::Block>& out) {
  std::vector<const Json*> calls;
  if (const Json& list = legacy::first_of(json, {"tool_calls", "toolCalls"}); list.is_array())
    for (const Json& call : list) calls.push_back(&call);
  if (const Json& old = at(json, "function_call"); old.is_object()) calls.push_back(&old);
  for (const Json* call : calls) {
    const Json& function = at(*call, "function");
    const Json& where = function.is_object() ? function : *call;
    model::ToolUse use{
        .id = string_at(*call, "id", string_at(*call, "call_id")),
        .name = string_at(where, "name"),
        .input = call_input(legacy::first_of(where, {"arguments", "params", "input", "args"}))};
    if (use.id.empty())
      use.id = "call_" + short_hash({std::to_string(++calls_), use.name, use.input});
    out.emplace_back(std::move(use));
  }
}

ArrayMessage OpenaiMessages::result(const Json& json, const Json& said, std::string call) {
  ArrayMessage out;
  model::ToolResult result{.tool_use_id = std::move(call)};
  Content parts = content(said);
  result.content = as_result(std::move(parts.said));
  out.unplaced = parts.unplaced;
  result.is_error = bool_at(json, "is_error") || bool_at(json, "isError");
  model::Message message{.role = model::Role::tool};
  message.content.emplace_back(std::move(result));
  out.said.emplace_back(std::move(message));
  return out;
}

OpenaiMessages::Content OpenaiMessages::content(const Json& json) {
  Content out;
  if (json.is_string() && !json.get_ref<const std::string&>().empty())
    out.said.emplace_back(model::Text{json.get<std::string>()});
  else if (json.is_object())
    out.said.emplace_back(model::Text{dump(json)});
  if (!json.is_array()) return out;
  for (const Json& part : json) {
    std::string text = part.is_string() ? part.get<std::string>() : string_at(part, "text");
    if (text.empty()) text = string_at(part, "refusal");
    const Json& link = legacy::first_of(part, {"image_url", "url"});
    auto picture = image(link.is_string() ? link.get<std::string>() : string_at(link, "url"));
    if (!text.empty()) {
      out.said.emplace_back(model::Text{std::move(text)});
    } else if (picture) {
      out.said.emplace_back(*std::move(picture));
    } else if (!string_at(part, "type").ends_with("text")) {  // an empty one is nothing
      out.unplaced = true;
      receiver_.lose("attachments and parts of other kinds");
    }
  }
  return out;
}

// data:image/png;base64,…
std::optional<model::Image> OpenaiMessages::image(const std::string& url) {
  const std::size_t comma = url.find(',');
  if (!url.starts_with("data:image/") || comma == std::string::npos) return std::nullopt;
  const std::string type = url.substr(5, comma - 5);
  if (!type.ends_with(";base64")) return std::nullopt;
  const auto bytes = from_base64(std::string_view(url).substr(comma + 1));
  if (!bytes || bytes->empty()) return std::nullopt;
  const std::string blob = receiver_.keep(*bytes);
  if (blob.empty()) return std::nullopt;
  return model::Image{.mime_type = type.substr(0, type.find(';')), .blob = blob};
}

}  // namespace skein::exchange::importers
