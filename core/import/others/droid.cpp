// Factory's Droid: ~/.factory/sessions/**/<id>.jsonl, and what `droid exec` streams as JSON.

#include "core/import/arrays/anthropic.h"
#include "core/text/text.h"

namespace skein::importers {

namespace {

std::string session_of(const Json& record) {
  return string_at(record, "session_id", string_at(record, "sessionId"));
}

// A record of the stream, in the form that no other program has.
bool is_stream_record(const Json& record) {
  const std::string type = string_at(record, "type");
  return !session_of(record).empty() && !at(record, "timestamp").is_null() &&
         (type == "message" ? at(record, "role").is_string() && at(record, "text").is_string()
                            : type == "tool_call" && at(record, "parameters").is_object());
}

// "Error: Command failed (exit code: 1)".
bool droid_says_failed(std::string_view text) {
  return text.starts_with("Error: ") && says_failed(text.substr(0, 220), {"(exit code: "});
}

std::string droid_provider(const std::string& model) {
  if (model.starts_with("claude")) return "anthropic";
  if (model.starts_with("gpt") || model.starts_with("o")) return "openai";
  return model.starts_with("gemini") ? "google" : std::string{};
}

class DroidReader {
 public:
  DroidReader(Receiver& receiver, std::string model)
      : receiver_(receiver), giver_(receiver), blocks_(receiver), model_(std::move(model)) {}

  void take(const Json& record, std::string_view text) {
    const std::string type = string_at(record, "type");
    ForeignEntry entry{.id = id_of(record, text),
                       .parent = string_at(record, "parentId"),
                       .time = time_from(at(record, "timestamp"))};
    if (type == "message" && at(record, "message").is_object())
      take_message(std::move(entry), at(record, "message"));
    else if (type == "message")
      take_text(std::move(entry), string_at(record, "role"), string_at(record, "text"));
    else if (type == "completion")
      take_text(std::move(entry), "assistant", string_at(record, "finalText"));
    else if (type == "tool_call")
      giver_.answer(std::move(entry),
                    {.content = {model::ToolUse{call_id(record), string_at(record, "toolName"),
                                                call_input(at(record, "parameters"))}}});
    else if (type == "tool_result")
      take_result(std::move(entry), record);
    else if (type == "compaction_state")
      giver_.insert({.id = entry.id,
                     .time = entry.time,
                     .content = model::Payload(model::payload::CompactionSummary{
                         .summary = string_at(record, "summaryText")})});
    else if (type != "session_start" && type != "session_end" && type != "todo_state" &&
             type != "system")
      receiver_.lose("records of an unknown kind");
  }
  void finish() { giver_.finish(); }

 private:
  static std::string call_id(const Json& record) {
    return string_at(record, "toolCallId", string_at(record, "id"));
  }

  // In the stream the id of a call and of its result is the call's, and that of the end is a word.
  static std::string id_of(const Json& record, std::string_view text) {
    std::string id = string_at(record, "id");
    const bool own =
        is_entry_id(id) && !has_word("tool_call tool_result completion", string_at(record, "type"));
    return own ? id : line_id(text);
  }

  void take_message(ForeignEntry entry, const Json& message) {
    std::vector<model::Block> content = blocks_.content(at(message, "content"), entry.id);
    for (model::Block& block : content)
      if (auto* const result = std::get_if<model::ToolResult>(&block))
        if (const auto* const first = std::get_if<model::Text>(&result->content.front()))
          result->is_error = result->is_error || droid_says_failed(first->text);
    if (blocks_.take_left_out()) entry.raw = dump(message);
    if (string_at(message, "role") != "assistant")
      return giver_.user(std::move(entry), std::move(content));
    const std::string model = string_at(message, "model", model_);
    giver_.answer(std::move(entry), {.content = std::move(content),
                                     .provider = droid_provider(model),
                                     .model = model,
                                     .stop = anthropic_stop(string_at(message, "stop_reason"))});
  }

  void take_text(ForeignEntry entry, const std::string& role, std::string text) {
    if (text.empty()) return;
    std::vector<model::Block> content{model::Text{std::move(text)}};
    if (role == "assistant")
      giver_.answer(std::move(entry), {.content = std::move(content)});
    else
      giver_.user(std::move(entry), std::move(content));
  }

  void take_result(ForeignEntry entry, const Json& record) {
    const Json& value = at(record, "value");
    const std::string printed = string_at(value, "stdout") + string_at(value, "stderr");
    model::ToolResult result{
        .tool_use_id = call_id(record),
        .content = value.is_object() ? std::vector<model::ResultBlock>{model::Text{
                                           printed.empty() ? dump(value) : printed}}
                                     : blocks_.result_content(value),
        .is_error = bool_at(record, "isError") || int_at(value, "exitCode") != 0};
    giver_.user(std::move(entry), {std::move(result)});
  }

  Receiver& receiver_;
  MessageGiver giver_;
  AnthropicBlocks blocks_;
  const std::string model_;
};

}  // namespace

bool is_droid(const SourceFile& file) {
  const std::vector<Json> first = first_records(file, 4);  // the stream may begin with its settings
  if (first.empty()) return false;
  if (string_at(first[0], "type") == "session_start") return !string_at(first[0], "id").empty();
  return std::ranges::any_of(first, is_stream_record);
}

void read_droid(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const Json first = first_record(file);
  ForeignSession session{.id = session_of(first),
                         .cwd = string_at(first, "cwd"),
                         .title = string_at(first, "sessionTitle", string_at(first, "title"))};
  if (session.id.empty() || session.id.size() > 128) session.id = string_at(first, "id");
  if (session.id.empty() || session.id.size() > 128) session.id = name_without_ending(file);
  if (!receiver.begin(session)) return;
  const Json settings = plain_json(file.folder(), name_without_ending(file) + ".settings.json");
  DroidReader reader(receiver, string_at(settings, "model"));
  each_record(file, options, receiver,
              [&](const ForeignRecord& record) { reader.take(record.json, record.text); });
  reader.finish();
}

}  // namespace skein::importers
