#include "tests/support/stage.h"

#include <stdexcept>

#include "core/store/home/file_backend.h"
#include "core/text/json.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"

namespace skein::test {

std::string line_of(const model::Entry& entry) {
  if (entry.type == model::type::custom)
    return "custom " + string_at(parse_json(entry.payload).value(), "kind");
  const auto message =
      entry.type == model::type::message ? model::message_from_json(entry.payload) : std::nullopt;
  if (!message) return entry.type;
  if (message->role == model::Role::user) return "user: " + model::plain_text(*message);
  if (message->role == model::Role::tool) {
    const auto& result = std::get<model::ToolResult>(message->content.at(0));
    std::string line = "result " + result.tool_use_id + (result.is_error ? " failed" : "") + ": ";
    for (const model::ResultBlock& block : result.content)
      line += std::get<model::Text>(block).text;
    return line;
  }
  std::string line = "assistant: " + model::plain_text(*message);
  for (const model::ToolUse* call : model::tool_uses(*message))
    line += "[" + call->name + " " + call->id + "]";
  return line + " -> " + std::string(model::name(message->stop));
}

std::vector<std::string> lines_of(const std::vector<model::Entry>& entries) {
  std::vector<std::string> out;
  for (const model::Entry& entry : entries) out.push_back(line_of(entry));
  return out;
}

Stage::Stage(JsonText script)
    : Stage(std::move(script), store::SessionStore(std::make_unique<store::home::FileBackend>(
                                   store::files::memory_files()))) {}

Stage::Stage(JsonText script, store::SessionStore on, budget::Budget* budget,
             const std::string& sub_agent)
    : store(std::move(on)),
      model(std::move(script)),
      tools{noting("fail", model::Effect::reads), noting("look", model::Effect::reads),
            noting("poke", model::Effect::writes)},
      agent(agent_parts(store, tools, provider_, [&](agent::Parts& with) {
        with.clean = [](std::string text) {
          const std::size_t at = text.find("sk-secret");
          return at == std::string::npos ? text : text.replace(at, 9, "[key]");
        };
        with.budget = budget;
        with.sub_agent = sub_agent;
        with.price = [](const std::string&, const model::Usage& usage) {
          const bool longest = usage.output >= 32'000;
          return std::optional(longest ? 0.1 : static_cast<double>(usage.input) / 100);
        };
        with.spent = [](const agent::Conversation&) { return 0.0; };
        with.delegates = &late_;
        with.inbox = &inbox;
      })) {}

model::Tool Stage::noting(const std::string& name, model::Effect effect) {
  return {.name = name,
          .description = "for tests",
          .schema = R"({"type":"object"})",
          .effect = effect,
          .title = [name](const JsonText&) { return name; },
          .run =
              [this, name](const JsonText& input, const model::ToolPorts&) {
                runs.push_back(name + " " + input);
                if (name == "fail") throw std::logic_error("it fell over");
                return model::tool_text("done");
              },
          .amendable = "with"};
}

agent::Conversation Stage::conversation(const std::string& key) {
  return agent::Conversation(store, session_called(store, key));
}

model::Ports Stage::ports() {
  model::Ports out;
  out.sink = [this](const model::Event& event) {
    events.push_back(event);
    if (listener) listener(event);
  };
  if (answer)
    out.ask = [this](const model::Question& question) {
      questions.push_back(question);
      return *answer;
    };
  out.stop = &stop;
  return out;
}

std::vector<model::Entry> Stage::stored(const agent::Conversation& conversation) {
  return entries_of(store, conversation.session());
}

std::vector<std::string> Stage::committed() const {
  std::vector<std::string> out;
  for (const model::Event& event : events)
    if (const auto* saved = std::get_if<model::Committed>(&event))
      out.push_back(line_of(saved->entry));
  return out;
}

std::vector<std::string> Stage::notices() const {
  std::vector<std::string> out;
  for (const model::Event& event : events)
    if (const auto* notice = std::get_if<model::Notice>(&event)) out.push_back(notice->text);
  return out;
}

}  // namespace skein::test
