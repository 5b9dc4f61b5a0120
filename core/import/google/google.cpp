// The parts of Google's contents, and arrays of these, as requests hold them, and as documents
// about them show them.

#include "core/import/arrays/message_array.h"
#include "core/import/google/gemini_parts.h"

namespace skein::importers {

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
  if (part.is_string()) return add_text(out.said, part.get<std::string>());
  if (!at(part, "thoughtSignature").is_null()) out.unplaced = true;
  if (const Json& text = at(part, "text"); text.is_string()) {
    if (bool_at(part, "thought"))
      out.said.emplace_back(model::Thinking{.thinking = text.get<std::string>()});
    else
      add_text(out.said, text.get<std::string>());
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
  if (add_image(out.said, image(at(part, "inlineData")))) return;
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
  if (waiting.size() > 64) waiting.pop_front();  // those get no answer any more
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
  for (const Json& part : list_at(response, "parts"))
    add_image(out.content, image(at(part, "inlineData")));
  return out;
}

std::optional<model::Image> GeminiParts::image(const Json& data) {
  const std::string type = string_at(data, "mimeType");
  if (!type.starts_with("image/")) return std::nullopt;
  return kept_image(receiver_, type, string_at(data, "data"));
}

std::optional<model::Usage> gemini_usage(const Json& counts, const GeminiCounts& names) {
  const auto count = [&](std::size_t which) { return count_at(counts, names[which]); };
  const std::int64_t prompt = count(0), output = count(1), cached = count(2), thoughts = count(3),
                     tools = count(4);
  if (prompt + output + thoughts + tools == 0) return std::nullopt;
  const bool apart = count(5) != prompt + tools + output;
  return model::Usage{.input = std::max<std::int64_t>(prompt - cached, 0) + tools,
                      .output = output + (apart ? thoughts : 0),
                      .cache_read = cached,
                      .reasoning = apart ? thoughts : std::min(thoughts, output)};
}

std::string spoken_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  if (content.is_object()) return bool_at(content, "thought") ? "" : string_at(content, "text");
  std::string out;
  for (const Json& part : elements(content)) out += spoken_text(part);
  return out;
}

namespace {

bool is_google_message(const Json& json) {
  const std::string role = string_at(json, "role");
  return role == "model" ||
         (at(json, "parts").is_array() && (role == "user" || role == "function" || role == "tool"));
}

class GoogleContents {
 public:
  GoogleContents(std::string model, Receiver& receiver)
      : parts_(receiver), model_(std::move(model)) {}

  ArrayMessage operator()(const Json& json) {
    const std::string where = std::to_string(read_++), role = string_at(json, "role");
    const Json& parts = at(json, "parts");
    GeminiContent content = parts_.read(parts.is_null() ? at(json, "content") : parts, where);
    // Documents show calls next to the parts.
    const std::vector<Json>& calls = list_at(json, "functionCalls");
    for (std::size_t n = 0; n < calls.size(); ++n)
      content.said.emplace_back(parts_.call(calls[n], where + "/calls", n));
    ArrayMessage out{.unplaced = content.unplaced};
    if (role == "tool" || role == "function") answer_call(json, content);
    for (model::ToolResult& result : content.results)
      out.said.emplace_back(result_message(std::move(result)));
    if (content.said.empty()) return out;
    model::Message said{.role = model::Role::user, .content = std::move(content.said)};
    if (role == "model" || role == "assistant") {
      said.role = model::Role::assistant;
      said.provider = "google";
      said.model = string_at(json, "model", model_);
      said.stop = stop_by_calls(said.content);
    }
    if (role == "system")
      out.said.emplace_back(ForeignContext{"instructions", spoken_text(parts)});
    else
      out.said.emplace_back(std::move(said));
    return out;
  }

 private:
  // A result that is no part: the message itself says whose it is.
  static void answer_call(const Json& json, GeminiContent& content) {
    if (!content.results.empty() || content.said.empty()) return;
    model::ToolResult result{.tool_use_id = string_at(json, "toolCallId")};
    for (model::Block& block : content.said)
      if (auto* text = std::get_if<model::Text>(&block))
        result.content.emplace_back(std::move(*text));
    content.said.clear();
    content.results.push_back(std::move(result));
  }

  GeminiParts parts_;
  std::string model_;
  std::size_t read_ = 0;
};

constexpr ArrayDialect google_dialect{
    .lists = {"contents", "messages", "history"},
    .is_message = is_google_message,
    .reader = [](const Json& facts, Receiver& receiver) -> ReadMessage {
      return GoogleContents(string_at(facts, "model"), receiver);
    },
    .instructions =
        [](const Json& facts) {
          const Json& given = first_of(facts, {"systemInstruction", "system_instruction"});
          const Json& parts = at(given, "parts");
          return spoken_text(parts.is_null() ? given : parts);
        }};

}  // namespace

bool is_google(const SourceFile& file) { return holds_array(file, google_dialect); }

void read_google(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  read_array(file, options, receiver, google_dialect);
}

}  // namespace skein::importers
