#include "core/import/arrays/openai.h"

namespace skein::importers {

namespace {

std::optional<model::Usage> openai_usage(const Json& usage) {
  if (!usage.is_object()) return std::nullopt;
  const auto count = [&](const char* name, const char* other) {
    return std::max(count_at(usage, name), count_at(usage, other));
  };
  const auto detail = [&](const char* name, const char* other, const char* member) {
    return count_at(first_of(usage, {name, other}), member);
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

}  // namespace

std::string provider_of_model(std::string_view model) {
  const auto begins = [&](std::string_view with) { return model.starts_with(with); };
  if (begins("gpt-") || begins("chatgpt") || begins("o1") || begins("o3") || begins("o4"))
    return "openai";
  if (begins("claude")) return "anthropic";
  if (begins("gemini")) return "google";
  if (begins("grok")) return "xai";
  return {};
}

ArrayMessage OpenaiMessages::operator()(const Json& message) {
  unplaced_ = false;
  ArrayMessage out;
  if (auto said = read(message)) out.said.push_back(*std::move(said));
  out.unplaced = unplaced_;
  return out;
}

std::optional<ForeignContent> OpenaiMessages::read(const Json& message) {
  const std::string role = string_at(message, "role");
  if (role.empty()) return item(message, string_at(message, "type"));
  if (role == "tool" || role == "function")
    return result(message, at(message, "content"),
                  string_at(message, "tool_call_id", string_at(message, "toolCallId")));
  if (role == "assistant" || role == "user") {
    model::Message said = role == "assistant"
                              ? answer(message)
                              : model::Message{.content = content(at(message, "content"))};
    if (said.content.empty() && !said.usage) return std::nullopt;
    return said;
  }
  std::string text = joined_texts(at(message, "content"), "\n");
  if (text.empty()) return std::nullopt;
  return ForeignContext{role == "system" || role == "developer" ? "instructions" : role,
                        std::move(text)};
}

std::optional<ForeignContent> OpenaiMessages::item(const Json& json, const std::string& type) {
  if (type == "function_call_output")
    return result(json, at(json, "output"), string_at(json, "call_id"));
  std::vector<model::Block> said;
  if (type == "function_call") {
    said.emplace_back(model::ToolUse{.id = string_at(json, "call_id"),
                                     .name = string_at(json, "name"),
                                     .input = call_input(at(json, "arguments"))});
  } else if (type == "reasoning") {
    add_thinking(said, joined_texts(at(json, "summary"), "\n"));
    unplaced_ = !at(json, "encrypted_content").is_null();
  }
  if (!said.empty()) return answer_with(std::move(said), json);
  receiver_.lose("attachments and parts of other kinds");
  return std::nullopt;
}

model::Message OpenaiMessages::answer(const Json& json) {
  std::vector<model::Block> said;
  add_thinking(said, first_string(json, {"reasoning_content", "reasoning", "thinking"}));
  std::ranges::move(content(at(json, "content")), std::back_inserter(said));
  const std::string refusal = string_at(json, "refusal");
  add_text(said, refusal);
  add_calls(json, said);
  unplaced_ |= !at(json, "reasoning_details").is_null();
  model::Message message = answer_with(std::move(said), json);
  if (!refusal.empty()) message.stop = model::Stop::refusal;
  return message;
}

model::Message OpenaiMessages::answer_with(std::vector<model::Block> said, const Json& json) {
  model::Message out{.role = model::Role::assistant,
                     .content = std::move(said),
                     .model = string_at(json, "model", model_)};
  out.provider = provider_of_model(out.model);
  out.stop = stop_named(string_at(json, "finish_reason"),
                        {{"length", model::Stop::length}, {"content_filter", model::Stop::refusal}},
                        stop_by_calls(out.content));
  out.usage = openai_usage(at(json, "usage"));
  return out;
}

void OpenaiMessages::add_calls(const Json& json, std::vector<model::Block>& out) {
  std::vector<const Json*> calls;
  for (const Json& call : elements(first_of(json, {"tool_calls", "toolCalls"})))
    calls.push_back(&call);
  if (const Json& old = at(json, "function_call"); old.is_object()) calls.push_back(&old);
  for (const Json* call : calls) {
    const Json& function = at(*call, "function");
    const Json& where = function.is_object() ? function : *call;
    model::ToolUse use{
        .id = string_at(*call, "id", string_at(*call, "call_id")),
        .name = string_at(where, "name"),
        .input = call_input(first_of(where, {"arguments", "params", "input", "args"}))};
    if (use.id.empty())
      use.id = "call_" + short_hash({std::to_string(++calls_), use.name, use.input});
    out.emplace_back(std::move(use));
  }
}

model::Message OpenaiMessages::result(const Json& json, const Json& said, std::string call) {
  model::ToolResult result{.tool_use_id = std::move(call),
                           .content = as_result(content(said)),
                           .is_error = bool_at(json, "is_error") || bool_at(json, "isError")};
  if (result.content.empty()) result.content.emplace_back(model::Text{});
  return result_message(std::move(result));
}

std::vector<model::Block> OpenaiMessages::content(const Json& json) {
  unplaced_ = false;
  std::vector<model::Block> out;
  if (json.is_string())
    add_text(out, json.get<std::string>());
  else if (json.is_object())
    out.emplace_back(model::Text{dump(json)});
  for (const Json& part : elements(json)) {
    std::string text = part.is_string() ? part.get<std::string>() : string_at(part, "text");
    if (text.empty()) text = string_at(part, "refusal");
    const Json& link = first_of(part, {"image_url", "url"});
    auto picture = kept_image_at(
        receiver_, link.is_string() ? link.get<std::string>() : string_at(link, "url"));
    if (!text.empty()) {
      out.emplace_back(model::Text{std::move(text)});
    } else if (!add_image(out, std::move(picture)) && !string_at(part, "type").ends_with("text")) {
      unplaced_ = true;  // an empty text is nothing
      receiver_.lose("attachments and parts of other kinds");
    }
  }
  return out;
}

namespace {

bool is_message_or_item(const Json& json) {
  const std::string type = string_at(json, "type");
  return is_openai_message(json) ||
         (json.is_object() && !json.contains("role") &&
          ((type == "function_call" && at(json, "call_id").is_string()) ||
           (type == "function_call_output" && at(json, "call_id").is_string()) ||
           (type == "reasoning" && at(json, "summary").is_array())));
}

constexpr ArrayDialect openai_dialect{
    .lists = {"messages", "input", "history"},
    .is_message = is_message_or_item,
    .reader = [](const Json& facts, Receiver& receiver) -> ReadMessage {
      return OpenaiMessages(string_at(facts, "model"), receiver);
    },
    .instructions =
        [](const Json& facts) {
          return string_at(facts, "instructions", string_at(facts, "system"));
        }};

}  // namespace

bool is_openai(const SourceFile& file) { return holds_array(file, openai_dialect); }

void read_openai(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  read_array(file, options, receiver, openai_dialect);
}

// Older sessions of Hermes: one object with a chat in it.
bool is_hermes(const SourceFile& file) {
  return begins_with_object_of(file, {"session_id", "session_start", "messages"});
}

void read_hermes(const SourceFile& file, const ReadOptions&, Receiver& receiver) {
  const Json whole = whole_json(file);
  if (!at(whole, "messages").is_array())
    throw Error("cannot read " + file.path() + ": it is damaged, or of more than 256 MiB");
  ForeignSession session{.id = string_at(whole, "session_id"),
                         .cwd = folder_named(string_at(whole, "cwd")),
                         .title = string_at(whole, "title"),
                         .created_at = time_from(at(whole, "session_start"))};
  if (session.id.empty()) session.id = file.name();
  if (!receiver.begin(session)) return;
  ArrayWriter writer(receiver, OpenaiMessages(string_at(whole, "model"), receiver));
  for (const Json& message : at(whole, "messages")) writer.write(message);
  receiver.end(writer.leaf());
}

}  // namespace skein::importers
