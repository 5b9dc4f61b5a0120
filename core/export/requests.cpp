// The path of a session as requests of the three vendors have it.

#include "core/export/exported_session.h"
#include "core/model/message.h"
#include "core/model/payloads.h"
#include "core/text/json.h"

namespace skein::exporters {

namespace {

// The messages of a path as every service wants them: user and assistant by turns, each call
// answered, no answer without its call.
struct ExportedTurn {
  bool assistant = false;
  std::vector<model::Block> blocks{};  // of the user: results first
  std::vector<std::string> names{};    // of the user: for each result the tool that was called
  std::string provider{}, model{};     // of the assistant: who wrote its first block
};

struct UnansweredCall {
  std::string id, name;
};

class TurnWriter {
 public:
  explicit TurnWriter(std::function<void(const ExportedTurn&)> visit) : visit_(std::move(visit)) {}

  void add(model::Message message) {
    if (message.role == model::Role::assistant) return add_answer(std::move(message));
    for (model::Block& block : message.content) {
      if (auto* result = std::get_if<model::ToolResult>(&block))
        add_result(std::move(*result));
      else if (message.role == model::Role::user)
        add_said(std::move(block));
    }
  }

  void say(std::string text) { add_said(model::Text{std::move(text)}); }

  void end() {
    answer_open_calls();
    flush();
  }

 private:
  void add_answer(model::Message message) {
    std::erase_if(message.content, [](const model::Block& block) {
      const auto* text = std::get_if<model::Text>(&block);
      return (text != nullptr && text->text.empty()) ||
             std::holds_alternative<model::Opaque>(block);
    });
    if (message.content.empty()) return;
    answer_open_calls();
    if (!turn_.assistant) {
      flush();
      turn_.assistant = true;
      turn_.provider = message.provider;
      turn_.model = message.model;
    }
    for (model::Block& block : message.content) {
      if (const auto* call = std::get_if<model::ToolUse>(&block))
        open_calls_.push_back({call->id, call->name});
      turn_.blocks.push_back(std::move(block));
    }
  }

  void add_result(model::ToolResult result) {
    const auto call = std::ranges::find(open_calls_, result.tool_use_id, &UnansweredCall::id);
    if (call == open_calls_.end()) return;  // there is no such call, or it was answered
    if (turn_.assistant) flush();
    turn_.names.push_back(call->name);
    open_calls_.erase(call);
    turn_.blocks.insert(turn_.blocks.begin() + static_cast<std::ptrdiff_t>(turn_.names.size()) - 1,
                        std::move(result));
  }

  void add_said(model::Block block) {
    const auto* text = std::get_if<model::Text>(&block);
    if (text ? text->text.empty() : !std::holds_alternative<model::Image>(block)) return;
    answer_open_calls();
    if (turn_.assistant) flush();
    turn_.blocks.push_back(std::move(block));
  }

  // A crash or a stop left them without a result; no service takes that.
  void answer_open_calls() {
    while (!open_calls_.empty())
      add_result(
          {open_calls_.front().id, {model::Text{"(interrupted: there is no result)"}}, true});
  }

  void flush() {
    if (!turn_.blocks.empty()) visit_(turn_);
    turn_ = {};
  }

  std::function<void(const ExportedTurn&)> visit_;
  ExportedTurn turn_{};
  std::vector<UnansweredCall> open_calls_{};
};

// The last system prompt; empty: there is none.
std::string system_of(const ExportedSession& session) {
  std::string system;
  session.each_entry([&](const model::Entry& entry) {
    if (entry.type != model::type::runtime_init) return;
    if (auto init = model::read_as<model::payload::RuntimeInit>(entry))
      system = std::move(init->system);
  });
  return system;
}

// `opening`, then as messages of an array `first` and what every turn becomes.
void write_turns(const ExportedSession& session, const Sink& sink, const std::string& opening,
                 const std::vector<Json>& first,
                 const std::function<std::vector<Json>(const ExportedTurn&)>& messages_of) {
  sink(opening);
  const char* separator = "\n";
  const auto write = [&](const std::vector<Json>& messages) {
    for (const Json& message : messages) sink(std::exchange(separator, ",\n") + dump(message));
  };
  write(first);
  TurnWriter turns([&](const ExportedTurn& turn) { write(messages_of(turn)); });
  session.each_entry([&](const model::Entry& entry) {
    if (auto message = model::message_of(entry)) return turns.add(std::move(*message));
    // A compaction's messages are all there; what a branch left behind is not.
    if (const auto left = model::read_as<model::payload::BranchSummary>(entry);
        left && !left->summary.empty())
      turns.say(left->summary);
  });
  turns.end();
  sink("\n]}\n");
}

// None if it would be empty.
std::vector<Json> one_message(const char* role, const char* member, Json content) {
  if (content.empty()) return {};
  return {{{"role", role}, {member, std::move(content)}}};
}

Json text_part(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

Json openai_image(const ExportedSession& session, const model::Image& image) {
  const LoadedImage loaded = load_image(session, image);
  if (!loaded.there()) return text_part(missing_image);
  return {{"type", "image_url"}, {"image_url", {{"url", loaded.data_url()}}}};
}

std::vector<Json> answer_of(const ExportedTurn& turn) {
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
  if (text.empty() && calls.empty()) return {};
  if (!calls.empty()) message["tool_calls"] = std::move(calls);
  return {std::move(message)};
}

// Each result is a message, and holds text alone: its images follow as the user's.
std::vector<Json> said_by_user(const ExportedSession& session, const ExportedTurn& turn) {
  std::vector<Json> messages;
  Json parts = Json::array();
  for (const model::Block& block : turn.blocks) {
    if (const auto* result = std::get_if<model::ToolResult>(&block)) {
      messages.push_back({{"role", "tool"},
                          {"tool_call_id", result->tool_use_id},
                          {"content", model::plain_text(*result)}});
      for (const model::ResultBlock& part : result->content)
        if (const auto* image = std::get_if<model::Image>(&part))
          parts.push_back(openai_image(session, *image));
    }
    if (const auto* text = std::get_if<model::Text>(&block)) parts.push_back(text_part(text->text));
    if (const auto* image = std::get_if<model::Image>(&block))
      parts.push_back(openai_image(session, *image));
  }
  if (parts.empty()) return messages;
  const bool plain = parts.size() == 1 && parts[0].contains("text");
  messages.push_back({{"role", "user"}, {"content", plain ? parts[0]["text"] : parts}});
  return messages;
}

Json anthropic_image(const ExportedSession& session, const model::Image& image) {
  LoadedImage loaded = load_image(session, image);
  if (!loaded.there()) return text_part(missing_image);
  return {
      {"type", "image"},
      {"source", {{"type", "base64"}, {"media_type", loaded.mime_type}, {"data", loaded.base64}}}};
}

struct AnthropicContent {
  const ExportedSession& session;
  const ExportedTurn& turn;
  Json& blocks;

  void operator()(const model::Text& block) const { blocks.push_back(text_part(block.text)); }
  // Only what this service signed comes back to it.
  void operator()(const model::Thinking& block) const {
    const bool its_own = turn.provider.find("anthropic") != std::string::npos ||
                         turn.model.find("claude") != std::string::npos;
    if (block.signature.empty() || !its_own) return;
    blocks.push_back(block.redacted ? Json{{"type", "redacted_thinking"}, {"data", block.signature}}
                                    : Json{{"type", "thinking"},
                                           {"thinking", block.thinking},
                                           {"signature", block.signature}});
  }
  void operator()(const model::Image& block) const {
    blocks.push_back(anthropic_image(session, block));
  }
  void operator()(const model::ToolUse& block) const {
    blocks.push_back({{"type", "tool_use"},
                      {"id", block.id},
                      {"name", block.name},
                      {"input", parse_json(block.input).value_or(Json::object())}});
  }
  void operator()(const model::ToolResult& block) const {
    Json content = Json::array();
    if (const std::string text = model::plain_text(block); !text.empty())
      content.push_back(text_part(text));
    for (const model::ResultBlock& part : block.content)
      if (const auto* image = std::get_if<model::Image>(&part))
        content.push_back(anthropic_image(session, *image));
    Json result{{"type", "tool_result"}, {"tool_use_id", block.tool_use_id}, {"content", content}};
    if (block.is_error) result["is_error"] = true;
    blocks.push_back(std::move(result));
  }
  void operator()(const model::Opaque&) const {}
};

Json google_image(const ExportedSession& session, const model::Image& image) {
  LoadedImage loaded = load_image(session, image);
  if (!loaded.there()) return {{"text", missing_image}};
  return {{"inlineData", {{"mimeType", loaded.mime_type}, {"data", loaded.base64}}}};
}

// What the service signed goes back with the part it signed.
Json signed_part(Json part, const JsonText& provider_data) {
  const Json data = parse_json(provider_data).value_or(Json());
  if (std::string signature = string_at(data, "thoughtSignature"); !signature.empty())
    part["thoughtSignature"] = std::move(signature);
  return part;
}

Json result_part(const model::ToolResult& result, const std::string& name) {
  return {{"functionResponse",
           {{"id", result.tool_use_id},
            {"name", name},
            {"response", {{result.is_error ? "error" : "output", model::plain_text(result)}}}}}};
}

Json parts_of(const ExportedSession& session, const ExportedTurn& turn) {
  Json parts = Json::array(), pictures = Json::array();
  std::size_t results = 0;
  for (const model::Block& block : turn.blocks) {
    if (const auto* text = std::get_if<model::Text>(&block))
      parts.push_back(signed_part({{"text", text->text}}, text->provider_data));
    if (const auto* image = std::get_if<model::Image>(&block))
      parts.push_back(google_image(session, *image));
    if (const auto* call = std::get_if<model::ToolUse>(&block))
      parts.push_back(signed_part({{"functionCall",
                                    {{"id", call->id},
                                     {"name", call->name},
                                     {"args", parse_json(call->input).value_or(Json::object())}}}},
                                  call->provider_data));
    if (const auto* result = std::get_if<model::ToolResult>(&block)) {
      parts.push_back(result_part(*result, turn.names[results++]));
      for (const model::ResultBlock& part : result->content)
        if (const auto* image = std::get_if<model::Image>(&part))
          pictures.push_back(google_image(session, *image));
    }
  }
  for (Json& picture : pictures) parts.push_back(std::move(picture));
  return parts;
}

}  // namespace

// The path as a Chat Completions request has it.
void write_openai(const ExportedSession& session, const Sink& sink) {
  std::vector<Json> first;
  if (std::string system = system_of(session); !system.empty())
    first.push_back({{"role", "system"}, {"content", std::move(system)}});
  write_turns(session, sink, "{\"messages\":[", first, [&](const ExportedTurn& turn) {
    return turn.assistant ? answer_of(turn) : said_by_user(session, turn);
  });
}

// The path as a Messages request has it.
void write_anthropic(const ExportedSession& session, const Sink& sink) {
  const std::string system = system_of(session);
  const std::string before = system.empty() ? "" : "\"system\":" + json_string(system) + ",\n";
  write_turns(session, sink, "{" + before + "\"messages\":[", {}, [&](const ExportedTurn& turn) {
    Json blocks = Json::array();
    for (const model::Block& block : turn.blocks)
      std::visit(AnthropicContent{session, turn, blocks}, block);
    return one_message(turn.assistant ? "assistant" : "user", "content", blocks);
  });
}

// The path as a generateContent request has it.
void write_google(const ExportedSession& session, const Sink& sink) {
  const std::string system = system_of(session);
  const std::string before =
      system.empty() ? ""
                     : "\"systemInstruction\":" + dump({{"parts", {{{"text", system}}}}}) + ",\n";
  write_turns(session, sink, "{" + before + "\"contents\":[", {}, [&](const ExportedTurn& turn) {
    return one_message(turn.assistant ? "model" : "user", "parts", parts_of(session, turn));
  });
}

}  // namespace skein::exporters
