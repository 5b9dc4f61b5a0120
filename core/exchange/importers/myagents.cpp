#include "core/exchange/importers/myagents.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/exchange/importers/anthropic_blocks.h"
#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_records.h"
#include "core/exchange/importers/message_giver.h"
#include "core/exchange/importers/plain_file.h"

namespace skein::exchange::importers {

namespace {

namespace fs = std::filesystem;

bool is_myagents_message(const Json& record) {
  const std::string role = string_at(record, "role");
  return (role == "user" || role == "assistant") && !string_at(record, "id").empty() &&
         !at(record, "content").is_null() && !at(record, "timestamp").is_null() &&
         !record.contains("type") && !record.contains("message");
}

bool is_myagents(const SourceFile& file) {
  const Json first = first_record(file);
  if (is_myagents_message(first)) return true;
  const Json& messages = at(first, "messages");
  if (messages.is_array()) return !messages.empty() && is_myagents_message(messages.front());
  // A file that is longer than its head.
  if (!file.name().ends_with(".json") || !first.is_null()) return false;
  const std::string head = file.head();
  const std::size_t begin = head.find("\"messages\"");
  const std::size_t message = head.find('{', begin == std::string::npos ? head.size() : begin);
  if (message == std::string::npos) return false;
  const std::string_view rest = std::string_view(head).substr(message);
  const auto record = read_json(rest.substr(0, bracketed_length(rest)));
  return record && is_myagents_message(*record);
}

// Content is a text, or blocks, or the text of blocks.
Json myagents_content(const Json& message) {
  const Json& content = at(message, "content");
  if (!content.is_string() || !content.get_ref<const std::string&>().starts_with("[{"))
    return content;
  auto blocks = read_json(content.get_ref<const std::string&>());
  return blocks && blocks->is_array() && at(blocks->front(), "type").is_string()
             ? std::move(*blocks)
             : content;
}

model::Usage myagents_usage(const Json& usage) {
  return {.input = count_at(usage, "inputTokens"),
          .output = count_at(usage, "outputTokens"),
          .cache_read = count_at(usage, "cacheReadTokens"),
          .cache_write = count_at(usage, "cacheCreationTokens")};
}

class MyAgentsReader {
 public:
  explicit MyAgentsReader(Receiver& receiver)
      : receiver_(receiver), giver_(receiver), blocks_(receiver) {}

  void take(const Json& message) {
    if (!is_myagents_message(message)) return receiver_.lose("messages of an unknown kind");
    const std::string id = id_or_hash(message, ++number_);
    const std::string time = time_from(at(message, "timestamp"));
    const Json content = myagents_content(message);
    if (string_at(message, "role") == "user") {
      giver_.user({.id = id, .time = time}, blocks_.content(content, id));
      if (at(message, "attachments").is_array() && !at(message, "attachments").empty())
        receiver_.lose("attachments");
      return;
    }
    model::Message answer{.provider = "anthropic",
                          .model = string_at(at(message, "usage"), "model"),
                          .duration_ms = count_at(message, "durationMs")};
    if (at(message, "usage").is_object()) answer.usage = myagents_usage(at(message, "usage"));
    take_answer(id, time, std::move(answer), content);
  }
  void finish() { giver_.finish(); }

 private:
  // One message holds all that the model said in a turn, with its calls and their results: what
  // comes after results is an answer of its own.
  void take_answer(const std::string& id, const std::string& time, model::Message answer,
                   const Json& content) {
    std::vector<model::Block> results;
    std::size_t part = 1;
    const auto give = [&] {
      const std::string part_id = part == 1 ? id : id + "/" + std::to_string(part);
      MessageGiver::Place place{.id = part_id, .time = time};
      if (blocks_.take_left_out()) place.raw = dump(content);
      model::Message next{.provider = answer.provider, .model = answer.model};
      giver_.answer(std::move(place), std::exchange(answer, std::move(next)));
      giver_.user({.id = part_id + "/results", .time = time}, std::exchange(results, {}));
      ++part;
    };
    if (!content.is_array()) {
      answer.content = blocks_.content(content, id);
      return give();
    }
    for (const Json& block : content) {
      const Json& tool = at(block, "tool");
      if (string_at(block, "type") != "tool_use" || !tool.is_object()) {
        if (!results.empty()) give();
        for (model::Block& each : blocks_.content(block, id))
          answer.content.push_back(std::move(each));
        continue;
      }
      std::string call = string_at(tool, "id");
      if (call.empty())
        call =
            "call_" + id + "_" + std::to_string(part) + "_" + std::to_string(answer.content.size());
      const Json& input = at(tool, "input");
      answer.content.emplace_back(
          model::ToolUse{call, string_at(tool, "name"),
                         call_input(input.is_null() ? at(tool, "inputJson") : input)});
      if (!at(tool, "result").is_null())
        results.emplace_back(
            model::ToolResult{.tool_use_id = call,
                              .content = blocks_.result_content(at(tool, "result")),
                              .is_error = bool_at(tool, "isError")});
    }
    give();
  }

  Receiver& receiver_;
  MessageGiver giver_;
  AnthropicBlocks blocks_;
  std::size_t number_ = 0;
};

// What the list of all sessions says of this one.
ForeignSession myagents_session(const SourceFile& file) {
  ForeignSession out{.id = name_without_ending(file)};
  const std::string above = fs::path(file.folder()).parent_path().string();
  const auto text = read_plain_file(above, "sessions.json");
  const auto list = text ? read_json(*text) : std::nullopt;
  if (!list || !list->is_array()) return out;
  for (const Json& row : *list) {
    if (string_at(row, "id") != out.id) continue;
    out.title = string_at(row, "title");
    out.cwd = string_at(row, "agentDir");
    out.created_at = time_from(at(row, "createdAt"));
  }
  return out;
}

void read_myagents(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const bool lean = is_myagents_message(first_record(file)) || file.name().ends_with(".jsonl");
  const Json whole = lean ? Json(nullptr) : whole_json(file);
  if (!receiver.begin(myagents_session(file))) return;
  MyAgentsReader reader(receiver);
  if (lean)
    each_record(file, options, receiver, [&](const Json& record, std::string_view) {
      reader.take(record);
      return true;
    });
  else if (const Json& messages = at(whole, "messages"); messages.is_array())
    for (const Json& message : messages) reader.take(message);
  reader.finish();
}

std::vector<std::string> myagents_places(const Environment& environment) {
  return {environment("HOME") + "/.myagents/sessions"};
}

}  // namespace

Format myagents() {
  return {"myagents", "MyAgents", "myagents", is_myagents, read_myagents, myagents_places};
}

}  // namespace skein::exchange::importers
