#include "core/exchange/importers/copilot.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/importers/entry_chain.h"
#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_records.h"
#include "core/exchange/importers/openai_messages.h"
#include "core/legacy/blocks.h"

namespace skein::exchange::importers {

namespace {

// What a sub-agent said stands among what the others said, and names the call that made it.
std::string spawned_by(const Json& event) {
  return string_at(at(event, "data"), "parentToolCallId");
}

class CopilotReader {
 public:
  // Of a sub-agent only some events are there, so that one follows the other.
  CopilotReader(Receiver& receiver, bool spawned, std::string model)
      : chain_(receiver), spawned_(spawned), model_(std::move(model)) {}

  void read(const Json& event, std::string_view text) {
    const std::string type = string_at(event, "type");
    const Json& data = at(event, "data");
    event_ = {string_at(event, "id"), string_at(event, "parentId"),
              legacy::time_of(at(event, "timestamp"))};
    if (type == "session.model_change") model_ = string_at(data, "newModel", model_);
    if (type == "assistant.reasoning") return think(data);
    if (type == "assistant.message") return answer(data, text);
    const bool says = type == "user.message" || type == "tool.execution_complete";
    if (says) finish();
    if (type == "user.message") return prompt(data, text);
    if (type == "tool.execution_complete") return result(data);
    if (type == "system.message" || type == "system.notification") {
      const std::string said = string_at(data, "content");
      if (!said.empty())
        return add(event_, ForeignContext{
                               type == "system.message" ? "instructions" : "notification", said});
    }
    if (type == "session.compaction_complete" && !string_at(data, "summaryContent").empty())
      return add(event_, model::Payload{model::payload::CompactionSummary{
                             .summary = string_at(data, "summaryContent")}});
    pass();
  }

  // Thoughts that no answer followed.
  void finish() {
    if (!thought_) return;
    const Thought alone = *std::exchange(thought_, std::nullopt);
    add(alone.event, answer_of({model::Thinking{.thinking = alone.text}}, Json{}));
  }

  std::string leaf() const { return chain_.last(); }

 private:
  struct Event {
    std::string id{}, parent{}, time{};
  };
  struct Thought {
    Event event{};
    std::string text{};
  };

  void add(const Event& event, std::variant<model::Message, model::Payload, ForeignContext> said,
           JsonText raw = {}) {
    ForeignEntry entry{.id = event.id,
                       .parent = event.parent,
                       .time = event.time,
                       .content = std::move(said),
                       .raw = std::move(raw)};
    if (spawned_)
      chain_.append(std::move(entry));
    else
      chain_.add(std::move(entry));
  }

  void pass() {
    if (!spawned_) chain_.pass(event_.id, event_.parent);
  }

  void think(const Json& data) {
    finish();
    pass();
    thought_ = Thought{event_, string_at(data, "content")};
  }

  void prompt(const Json& data, std::string_view text) {
    const std::string typed = string_at(data, "content"),
                      sent = string_at(data, "transformedContent");
    if (!sent.empty() && sent != typed)
      add({event_.id + "/context", event_.parent, event_.time},
          ForeignContext{"attachments", sent});
    if (typed.empty()) return pass();
    const Json& attached = at(data, "attachments");
    add(event_, model::user_message(typed),
        attached.is_array() && !attached.empty() ? std::string(text) : JsonText{});
  }

  model::Message answer_of(std::vector<model::Block> said, const Json& data) const {
    model::Message out{.role = model::Role::assistant,
                       .content = std::move(said),
                       .model = string_at(data, "model", model_)};
    out.provider = provider_of_model(out.model);
    out.stop = model::tool_uses(out).empty() ? model::Stop::stop : model::Stop::tool_use;
    if (const std::int64_t output = count_at(data, "outputTokens"); output > 0)
      out.usage = model::Usage{.output = output};
    return out;
  }

  void answer(const Json& data, std::string_view text) {
    std::vector<model::Block> said;
    std::string thought = std::exchange(thought_, std::nullopt).value_or(Thought{}).text;
    if (std::string own = string_at(data, "reasoningText"); !own.empty()) thought = std::move(own);
    if (!thought.empty()) said.emplace_back(model::Thinking{.thinking = std::move(thought)});
    if (std::string words = string_at(data, "content"); !words.empty())
      said.emplace_back(model::Text{std::move(words)});
    if (const Json& calls = at(data, "toolRequests"); calls.is_array())
      for (std::size_t n = 0; n < calls.size(); ++n) {
        model::ToolUse call{.id = string_at(calls[n], "toolCallId"),
                            .name = string_at(calls[n], "name"),
                            .input = call_input(at(calls[n], "arguments"))};
        if (call.id.empty())
          call.id = "call_" + short_hash({event_.id, std::to_string(n), call.name, call.input});
        said.emplace_back(std::move(call));
      }
    const bool sealed =
        at(data, "reasoningOpaque").is_string() || at(data, "encryptedContent").is_string();
    if (said.empty() && !sealed) return pass();
    add(event_, answer_of(std::move(said), data), sealed ? std::string(text) : JsonText{});
  }

  void result(const Json& data) {
    model::ToolResult out{.tool_use_id = string_at(data, "toolCallId")};
    std::string said = string_at(at(data, "result"), "content");
    if (said.empty()) said = string_at(at(data, "error"), "message");
    out.content.emplace_back(model::Text{std::move(said)});
    out.is_error = !bool_at(data, "success", true);
    model::Message message{.role = model::Role::tool};
    message.content.emplace_back(std::move(out));
    add(event_, std::move(message));
  }

  EntryChain chain_;
  const bool spawned_;
  std::string model_;
  Event event_{};
  std::optional<Thought> thought_{};  // of the answer to come
};

bool is_start(const Json& event) {
  return string_at(event, "type") == "session.start" &&
         at(at(event, "data"), "sessionId").is_string();
}

bool is_event(const Json& event) {
  const std::string type = string_at(event, "type");
  return at(event, "data").is_object() && at(event, "timestamp").is_string() &&
         (type == "user.message" || type == "assistant.message" ||
          type == "tool.execution_complete");
}

bool is_copilot(const SourceFile& file) {
  return std::ranges::any_of(first_records(file, 8),
                             [](const Json& event) { return is_start(event) || is_event(event); });
}

ForeignSession copilot_session(const SourceFile& file, const std::vector<Json>& first) {
  const std::string stem = name_without_ending(file);
  ForeignSession out{.id = stem == "events" ? folder_name_of(file) : stem};
  const auto start = std::ranges::find_if(first, is_start);
  if (start == first.end()) return out;
  const Json& data = at(*start, "data");
  out.id = string_at(data, "sessionId");
  out.cwd = folder_named(string_at(at(data, "context"), "cwd"));
  out.created_at = legacy::time_of(at(data, "startTime"));
  return out;
}

struct SubAgent {
  std::string title{};
  std::vector<std::string> events{};
};

void read_sub_agent(const ForeignSession& parent, const std::string& call, const SubAgent& agent,
                    Receiver& receiver) {
  if (agent.events.empty() || !receiver.begin({.id = parent.id + "/" + call,
                                               .cwd = parent.cwd,
                                               .title = agent.title,
                                               .parent = parent.id,
                                               .spawned = true}))
    return;
  CopilotReader reader(receiver, true, {});
  for (const std::string& text : agent.events)
    if (const auto event = parse_json(text)) reader.read(*event, text);
  reader.finish();
  receiver.end(reader.leaf());
}

void read_copilot(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const std::vector<Json> first = first_records(file, 8);
  const ForeignSession session = copilot_session(file, first);
  const auto start = std::ranges::find_if(first, is_start);
  const bool wanted = receiver.begin(session);
  CopilotReader reader(receiver, false,
                       start == first.end() ? "" : string_at(at(*start, "data"), "selectedModel"));
  // Kept until the main session has its end: one does not begin inside of another.
  std::map<std::string, SubAgent> agents;
  each_record(file, options, receiver, [&](const Json& event, std::string_view text) {
    const std::string call = spawned_by(event);
    if (string_at(event, "type") == "subagent.started")
      agents[string_at(at(event, "data"), "toolCallId")].title =
          string_at(at(event, "data"), "agentDisplayName");
    if (!call.empty()) agents[call].events.emplace_back(text);
    if (!wanted) return true;
    reader.read(call.empty() ? event
                             : Json{{"id", string_at(event, "id")},
                                    {"parentId", string_at(event, "parentId")}},
                text);
    return true;
  });
  if (wanted) {
    if (!options.growing) reader.finish();
    receiver.end(reader.leaf());
  }
  for (const auto& [call, agent] : agents) read_sub_agent(session, call, agent, receiver);
}

std::vector<std::string> copilot_places(const Environment& environment) {
  return {environment("HOME") + "/.copilot/session-state"};
}

}  // namespace

Format copilot() {
  return {.name = "copilot",
          .agent = "Copilot CLI",
          .channel = "copilot",
          .recognizes = is_copilot,
          .read = read_copilot,
          .places = copilot_places};
}

}  // namespace skein::exchange::importers
