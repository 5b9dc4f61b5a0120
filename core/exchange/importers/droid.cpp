#include "core/exchange/importers/droid.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "core/exchange/importers/anthropic_blocks.h"
#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_members.h"
#include "core/exchange/importers/json_records.h"
#include "core/exchange/importers/message_giver.h"
#include "core/exchange/importers/plain_file.h"
#include "core/text/sha256.h"
#include "core/text/text.h"

namespace skein::exchange::importers {

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

bool is_droid(const SourceFile& file) {
  const std::vector<Json> first = first_records(file, 4);  // the stream may begin with its settings
  if (first.empty()) return false;
  if (string_at(first[0], "type") == "session_start") return !string_at(first[0], "id").empty();
  return std::ranges::any_of(first, is_stream_record);
}

// "Error: Command failed (exit code: 1)".
bool droid_says_failed(std::string_view text) {
  constexpr std::string_view words = "(exit code: ";
  const std::size_t found = text.substr(0, 200).find(words);
  if (!text.starts_with("Error: ") || found == std::string_view::npos) return false;
  int code = 0;
  const std::string_view digits = text.substr(found + words.size());
  return std::from_chars(digits.data(), digits.data() + digits.size(), code).ec == std::errc{} &&
         code != 0;
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
    MessageGiver::Place place{.id = id_of(record, text),
                              .parent = string_at(record, "parentId"),
                              .time = time_from(at(record, "timestamp"))};
    if (type == "message" && at(record, "message").is_object())
      take_message(std::move(place), at(record, "message"));
    else if (type == "message")
      take_text(std::move(place), string_at(record, "role"), string_at(record, "text"));
    else if (type == "completion")
      take_text(std::move(place), "assistant", string_at(record, "finalText"));
    else if (type == "tool_call")
      giver_.answer(std::move(place),
                    {.content = {model::ToolUse{call_id(record), string_at(record, "toolName"),
                                                call_input(at(record, "parameters"))}}});
    else if (type == "tool_result")
      take_result(std::move(place), record);
    else if (type == "compaction_state")
      giver_.compaction(std::move(place), string_at(record, "summaryText"));
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
    const std::string quoted = "\"" + string_at(record, "id") + "\"";
    const std::string_view id = raw_entry_id(quoted);
    const bool own =
        !id.empty() && !has_word("tool_call tool_result completion", string_at(record, "type"));
    return own ? std::string(id) : "line-" + sha256_hex(text).substr(0, 16);
  }

  void take_message(MessageGiver::Place place, const Json& message) {
    std::vector<model::Block> content = blocks_.content(at(message, "content"), place.id);
    for (model::Block& block : content)
      if (auto* const result = std::get_if<model::ToolResult>(&block))
        if (const auto* const first = std::get_if<model::Text>(&result->content.front()))
          result->is_error = result->is_error || droid_says_failed(first->text);
    if (blocks_.take_left_out()) place.raw = dump(message);
    if (string_at(message, "role") != "assistant")
      return giver_.user(std::move(place), std::move(content));
    const std::string model = string_at(message, "model", model_);
    giver_.answer(std::move(place), {.content = std::move(content),
                                     .provider = droid_provider(model),
                                     .model = model,
                                     .stop = anthropic_stop(string_at(message, "stop_reason"))});
  }

  void take_text(MessageGiver::Place place, const std::string& role, std::string text) {
    if (text.empty()) return;
    std::vector<model::Block> content{model::Text{std::move(text)}};
    if (role == "assistant")
      giver_.answer(std::move(place), {.content = std::move(content)});
    else
      giver_.user(std::move(place), std::move(content));
  }

  void take_result(MessageGiver::Place place, const Json& record) {
    const Json& value = at(record, "value");
    const std::string printed = string_at(value, "stdout") + string_at(value, "stderr");
    model::ToolResult result{
        .tool_use_id = call_id(record),
        .content = value.is_object() ? std::vector<model::ResultBlock>{model::Text{
                                           printed.empty() ? dump(value) : printed}}
                                     : blocks_.result_content(value),
        .is_error = bool_at(record, "isError") || int_at(value, "exitCode") != 0};
    giver_.user(std::move(place), {std::move(result)});
  }

  Receiver& receiver_;
  MessageGiver giver_;
  AnthropicBlocks blocks_;
  const std::string model_;
};

void read_droid(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const Json first = first_record(file);
  ForeignSession session{.id = session_of(first),
                         .cwd = string_at(first, "cwd"),
                         .title = string_at(first, "sessionTitle", string_at(first, "title"))};
  if (session.id.empty() || session.id.size() > 128) session.id = string_at(first, "id");
  if (session.id.empty() || session.id.size() > 128) session.id = name_without_ending(file);
  if (!receiver.begin(session)) return;
  std::string model;
  if (const auto text =
          read_plain_file(file.folder(), name_without_ending(file) + ".settings.json"))
    if (const auto settings = read_json(*text)) model = string_at(*settings, "model");
  DroidReader reader(receiver, std::move(model));
  each_record(file, options, receiver, [&](const Json& record, std::string_view text) {
    reader.take(record, text);
    return true;
  });
  reader.finish();
}

std::vector<std::string> droid_places(const Environment& environment) {
  return {environment("HOME") + "/.factory/sessions"};
}

}  // namespace

Format droid() { return {"droid", "Droid", "droid", is_droid, read_droid, droid_places}; }

}  // namespace skein::exchange::importers
