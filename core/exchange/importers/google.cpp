#include "core/exchange/importers/google.h"

#include <memory>
#include <string>
#include <utility>

#include "core/exchange/importers/gemini_parts.h"
#include "core/exchange/importers/message_array.h"
#include "core/legacy/blocks.h"

namespace skein::exchange::importers {

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

  ArrayMessage read(const Json& json) {
    const std::string where = std::to_string(read_++), role = string_at(json, "role");
    const Json& parts = at(json, "parts");
    GeminiContent content = parts_.read(parts.is_null() ? at(json, "content") : parts, where);
    // Documents show calls beside the parts.
    if (const Json& calls = at(json, "functionCalls"); calls.is_array())
      for (std::size_t n = 0; n < calls.size(); ++n)
        content.said.emplace_back(parts_.call(calls[n], where + "/calls", n));
    ArrayMessage out{.unplaced = content.unplaced};
    if (role == "tool" || role == "function") answer_call(json, content);
    for (model::ToolResult& result : content.results) {
      model::Message message{.role = model::Role::tool};
      message.content.emplace_back(std::move(result));
      out.said.emplace_back(std::move(message));
    }
    if (content.said.empty()) return out;
    if (role == "system")
      out.said.emplace_back(ForeignContext{"instructions", spoken_text(parts)});
    else
      out.said.emplace_back(
          role == "model" || role == "assistant"
              ? answer(std::move(content.said), json)
              : model::Message{.role = model::Role::user, .content = std::move(content.said)});
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

  model::Message answer(std::vector<model::Block> said, const Json& json) {
    model::Message out{.role = model::Role::assistant,
                       .content = std::move(said),
                       .provider = "google",
                       .model = string_at(json, "model", model_)};
    out.stop = model::tool_uses(out).empty() ? model::Stop::stop : model::Stop::tool_use;
    return out;
  }

  GeminiParts parts_;
  std::string model_;
  std::size_t read_ = 0;
};

ReadMessage google_reader(const Json& facts, Receiver& receiver) {
  // Shared by the copies of the function, which is made to be copied.
  auto contents = std::make_shared<GoogleContents>(string_at(facts, "model"), receiver);
  return [contents](const Json& message) { return contents->read(message); };
}

std::string google_instructions(const Json& facts) {
  const Json& given = legacy::first_of(facts, {"systemInstruction", "system_instruction"});
  const Json& parts = at(given, "parts");
  return spoken_text(parts.is_null() ? given : parts);
}

const ArrayDialect& google_dialect() {
  static const ArrayDialect the{.lists = {"contents", "messages", "history"},
                                .is_message = is_google_message,
                                .reader = google_reader,
                                .instructions = google_instructions};
  return the;
}

}  // namespace

Format google() {
  return {.name = "google",
          .agent = "Google contents",
          .channel = "google",
          .recognizes = [](const SourceFile& file) { return holds_array(file, google_dialect()); },
          .read = [](const SourceFile& file, const ReadOptions& options,
                     Receiver& receiver) { read_array(file, options, receiver, google_dialect()); },
          .places = nullptr};
}

}  // namespace skein::exchange::importers
