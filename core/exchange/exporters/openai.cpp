#include "core/exchange/exporters/openai.h"

#include "core/exchange/exporters/turns.h"
#include "core/exchange/exporters/whole_output.h"
#include "core/text/json.h"

namespace skein::exchange::exporters {

namespace {

Json openai_text(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

Json openai_image(const ExportedSession& session, const model::Image& image) {
  const LoadedImage loaded = load_image(session, image);
  if (!loaded.there()) return openai_text("(an image that is not there any more)");
  return {{"type", "image_url"}, {"image_url", {{"url", loaded.data_url()}}}};
}

Json answer_of(const Turn& turn) {
  std::string text;
  Json calls = Json::array();
  for (const model::Block& block : turn.blocks) {
    if (const auto* words = std::get_if<model::Text>(&block))
      text += (text.empty() ? "" : "\n\n") + words->text;
    if (const auto* call = std::get_if<model::ToolUse>(&block))
      calls.push_back({{"id", call->id},
                       {"type", "function"},
                       {"function", {{"name", call->name}, {"arguments", call->input}}}});
  }
  Json message{{"role", "assistant"}, {"content", text.empty() ? Json() : Json(text)}};
  if (!calls.empty()) message["tool_calls"] = std::move(calls);
  return message;
}

// Results are messages of their own, and hold text alone: what else came follows as the user's.
std::vector<Json> said_by_user(const ExportedSession& session, const Turn& turn) {
  std::vector<Json> messages;
  Json parts = Json::array();
  for (const model::Block& block : turn.blocks) {
    if (const auto* result = std::get_if<model::ToolResult>(&block)) {
      messages.push_back({{"role", "tool"},
                          {"tool_call_id", result->tool_use_id},
                          {"content", words_of(*result)}});
      for (const model::ResultBlock& part : result->content)
        if (const auto* image = std::get_if<model::Image>(&part))
          parts.push_back(openai_image(session, *image));
    }
    if (const auto* text = std::get_if<model::Text>(&block))
      parts.push_back(openai_text(text->text));
    if (const auto* image = std::get_if<model::Image>(&block))
      parts.push_back(openai_image(session, *image));
  }
  if (parts.empty()) return messages;
  const bool plain = parts.size() == 1 && parts[0].contains("text");
  messages.push_back({{"role", "user"}, {"content", plain ? parts[0]["text"] : parts}});
  return messages;
}

}  // namespace

void write_openai(const ExportedSession& session, const Sink& sink) {
  bool first = true;
  const auto write = [&](const Json& message) {
    sink((first ? "\n" : ",\n") + dump(message));
    first = false;
  };
  sink("{\"messages\":[");
  if (const std::string system = system_of(session); !system.empty())
    write({{"role", "system"}, {"content", system}});
  each_turn(session, [&](const Turn& turn) {
    if (!turn.assistant) {
      for (const Json& message : said_by_user(session, turn)) write(message);
    } else if (const Json answer = answer_of(turn);
               answer.contains("tool_calls") || !answer["content"].is_null()) {
      write(answer);
    }
  });
  sink("\n]}\n");
}

}  // namespace skein::exchange::exporters
