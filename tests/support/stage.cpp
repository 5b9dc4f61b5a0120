#include "tests/support/stage.h"

#include <stdexcept>

#include "core/json.h"
#include "core/store/file_backend.h"
#include "tests/support/homes.h"

namespace skein::test {

std::string line_of(const Entry& entry) {
  if (entry.type == type::custom)
    return "custom " + string_at(parse_json(entry.payload).value(), "kind");
  const auto message =
      entry.type == type::message ? message_from_json(entry.payload) : std::nullopt;
  if (!message) return entry.type;
  if (message->role == Role::user) return "user: " + plain_text(*message);
  if (message->role == Role::tool) {
    const auto& result = std::get<ToolResult>(message->content.at(0));
    std::string line = "result " + result.tool_use_id + (result.is_error ? " failed" : "") + ": ";
    for (const ResultBlock& block : result.content) line += std::get<Text>(block).text;
    return line;
  }
  std::string line = "assistant: " + plain_text(*message);
  for (const ToolUse* call : tool_uses(*message)) line += "[" + call->name + " " + call->id + "]";
  return line + " -> " + std::string(name(message->stop));
}

std::vector<std::string> lines_of(const std::vector<Entry>& entries) {
  std::vector<std::string> out;
  for (const Entry& entry : entries) out.push_back(line_of(entry));
  return out;
}

Stage::Stage(JsonText script)
    : Stage(std::move(script), SessionStore(std::make_unique<FileBackend>(memory_files()))) {}

Stage::Stage(JsonText script, SessionStore on)
    : store(std::move(on)),
      model(std::move(script)),
      tools{noting("fail", Effect::reads), noting("look", Effect::reads),
            noting("poke", Effect::writes)},
      agent({.store = store,
             .tools = tools,
             .provider = [this](const ModelRef&) -> Provider& { return provider_; },
             .clean =
                 [](std::string text) {
                   const std::size_t at = text.find("sk-secret");
                   return at == std::string::npos ? text : text.replace(at, 9, "[key]");
                 }}) {}

Tool Stage::noting(const std::string& name, Effect effect) {
  return {.name = name,
          .description = "for tests",
          .schema = R"({"type":"object"})",
          .effect = effect,
          .title = [name](const JsonText&) { return name; },
          .run =
              [this, name](const JsonText& input, const ToolPorts&) {
                runs.push_back(name + " " + input);
                if (name == "fail") throw std::logic_error("it fell over");
                return tool_text("done");
              },
          .amendable = "with"};
}

Conversation Stage::conversation(const std::string& key) {
  return Conversation(store, session_called(store, key));
}

Ports Stage::ports() {
  Ports out;
  out.sink = [this](const Event& event) {
    events.push_back(event);
    if (listener) listener(event);
  };
  if (answer)
    out.ask = [this](const Question& question) {
      questions.push_back(question);
      return *answer;
    };
  out.stop = &stop;
  return out;
}

std::vector<Entry> Stage::stored(const Conversation& conversation) {
  return entries_of(store, conversation.session());
}

std::vector<std::string> Stage::committed() const {
  std::vector<std::string> out;
  for (const Event& event : events)
    if (const auto* saved = std::get_if<Committed>(&event)) out.push_back(line_of(saved->entry));
  return out;
}

std::vector<std::string> Stage::notices() const {
  std::vector<std::string> out;
  for (const Event& event : events)
    if (const auto* notice = std::get_if<Notice>(&event)) out.push_back(notice->text);
  return out;
}

}  // namespace skein::test
