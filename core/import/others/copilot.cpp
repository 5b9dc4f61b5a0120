// Sessions of GitHub Copilot CLI: a log of events, in a folder per session or next to each other.

#include "core/import/arrays/openai.h"

namespace skein::importers {

namespace {

class CopilotReader {
 public:
  // Of a sub-agent only some events are there, so that one follows the other.
  CopilotReader(Receiver& receiver, bool spawned, std::string model)
      : chain_(receiver), spawned_(spawned), model_(std::move(model)) {}

  void read(const Json& event, std::string_view text) {
    const std::string type = string_at(event, "type");
    const Json& data = at(event, "data");
    event_ = {.id = string_at(event, "id"),
              .parent = string_at(event, "parentId"),
              .time = time_from(at(event, "timestamp"))};
    if (type == "session.model_change") model_ = string_at(data, "newModel", model_);
    if (type == "assistant.message") return answer(data, text);
    if (type == "assistant.reasoning" || type == "user.message" ||
        type == "tool.execution_complete")
      finish();
    if (type == "user.message") return prompt(data, text);
    if (type == "tool.execution_complete") return result(data);
    const std::string said = string_at(data, "content"),
                      summary = string_at(data, "summaryContent");
    if (type == "system.message" && !said.empty())
      return add(event_, ForeignContext{"instructions", said});
    if (type == "system.notification" && !said.empty())
      return add(event_, ForeignContext{"notification", said});
    if (type == "session.compaction_complete" && !summary.empty())
      return add(event_, model::Payload{model::payload::CompactionSummary{.summary = summary}});
    if (type == "assistant.reasoning") thought_ = {event_, said};
    pass();
  }

  // Thoughts that no answer followed.
  void finish() {
    if (!thought_) return;
    auto [event, text] = *std::exchange(thought_, std::nullopt);
    add(std::move(event), answer_of({model::Thinking{.thinking = std::move(text)}}, Json{}));
  }

  std::string leaf() const { return chain_.last(); }

 private:
  void add(ForeignEntry event, ForeignContent said, JsonText raw = {}) {
    if (spawned_) event.parent = chain_.last();
    event.content = std::move(said);
    event.raw = std::move(raw);
    chain_.add(std::move(event));
  }

  void pass() {
    if (!spawned_) chain_.pass(event_.id, event_.parent);
  }

  void prompt(const Json& data, std::string_view text) {
    const std::string typed = string_at(data, "content"),
                      sent = string_at(data, "transformedContent");
    if (!sent.empty() && sent != typed)
      add({.id = event_.id + "/context", .parent = event_.parent, .time = event_.time},
          ForeignContext{"attachments", sent});
    if (typed.empty()) return pass();
    add(event_, model::user_message(typed), raw_if(!list_at(data, "attachments").empty(), text));
  }

  model::Message answer_of(std::vector<model::Block> said, const Json& data) const {
    model::Message out{.role = model::Role::assistant,
                       .content = std::move(said),
                       .model = string_at(data, "model", model_)};
    out.provider = provider_of_model(out.model);
    out.stop = stop_by_calls(out.content);
    if (const std::int64_t output = count_at(data, "outputTokens"); output > 0)
      out.usage = model::Usage{.output = output};
    return out;
  }

  void answer(const Json& data, std::string_view text) {
    std::vector<model::Block> said;
    const auto thought = std::exchange(thought_, std::nullopt);
    const std::string own = string_at(data, "reasoningText");
    add_thinking(said, own.empty() && thought ? thought->second : own);
    add_text(said, string_at(data, "content"));
    std::size_t n = 0;
    for (const Json& each : list_at(data, "toolRequests")) {
      model::ToolUse call{.id = string_at(each, "toolCallId"),
                          .name = string_at(each, "name"),
                          .input = call_input(at(each, "arguments"))};
      if (call.id.empty())
        call.id = "call_" + short_hash({event_.id, std::to_string(n), call.name, call.input});
      said.emplace_back(std::move(call));
      ++n;
    }
    const bool sealed =
        at(data, "reasoningOpaque").is_string() || at(data, "encryptedContent").is_string();
    if (said.empty() && !sealed) return pass();
    add(event_, answer_of(std::move(said), data), raw_if(sealed, text));
  }

  void result(const Json& data) {
    model::ToolResult out{.tool_use_id = string_at(data, "toolCallId")};
    std::string said = string_at(at(data, "result"), "content");
    if (said.empty()) said = string_at(at(data, "error"), "message");
    out.content.emplace_back(model::Text{std::move(said)});
    out.is_error = !bool_at(data, "success", true);
    add(event_, result_message(std::move(out)));
  }

  EntryChain chain_;
  const bool spawned_;
  std::string model_;
  ForeignEntry event_{};                                           // at hand, without content
  std::optional<std::pair<ForeignEntry, std::string>> thought_{};  // of the answer to come
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

// `start`: what the event says that begins a session; null: there is none.
ForeignSession copilot_session(const SourceFile& file, const Json& start) {
  const std::string stem = name_without_ending(file);
  return {.id = string_at(start, "sessionId", stem == "events" ? folder_name_of(file) : stem),
          .cwd = folder_named(string_at(at(start, "context"), "cwd")),
          .created_at = time_from(at(start, "startTime"))};
}

struct CopilotAgent {
  std::string title{};
  std::vector<std::string> events{};
};

void read_sub_agent(const ForeignSession& parent, const std::string& call,
                    const CopilotAgent& agent, Receiver& receiver) {
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

}  // namespace

bool is_copilot(const SourceFile& file) {
  return std::ranges::any_of(first_records(file, 8),
                             [](const Json& event) { return is_start(event) || is_event(event); });
}

void read_copilot(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const std::vector<Json> first = first_records(file, 8);
  const auto found = std::ranges::find_if(first, is_start);
  const Json start = found == first.end() ? Json{} : at(*found, "data");
  const ForeignSession session = copilot_session(file, start);
  const bool wanted = receiver.begin(session);
  CopilotReader reader(receiver, false, string_at(start, "selectedModel"));
  // Kept until the main session has its end: one does not begin inside of another.
  std::map<std::string, CopilotAgent> agents;
  each_record(file, options, receiver, [&](const ForeignRecord& record) {
    const Json& event = record.json;
    // Events of a sub-agent are between the others, and name the call that started it.
    const std::string call = string_at(at(event, "data"), "parentToolCallId");
    if (string_at(event, "type") == "subagent.started")
      agents[string_at(at(event, "data"), "toolCallId")].title =
          string_at(at(event, "data"), "agentDisplayName");
    if (!call.empty()) agents[call].events.emplace_back(record.text);
    if (!wanted) return;
    reader.read(call.empty() ? event
                             : Json{{"id", string_at(event, "id")},
                                    {"parentId", string_at(event, "parentId")}},
                record.text);
  });
  if (wanted) {
    if (!options.growing) reader.finish();
    receiver.end(reader.leaf());
  }
  for (const auto& [call, agent] : agents) read_sub_agent(session, call, agent, receiver);
}

}  // namespace skein::importers
