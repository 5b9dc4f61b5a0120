// MyAgents: sessions/<id>.jsonl with one message a line, or <id>.json with all of them, and
// sessions.json next to the folder, which has their titles.

#include "core/import/arrays/anthropic.h"

namespace skein::importers {

namespace {

namespace fs = std::filesystem;

bool is_myagents_message(const Json& record) {
  const std::string role = string_at(record, "role");
  return (role == "user" || role == "assistant") && !string_at(record, "id").empty() &&
         !at(record, "content").is_null() && !at(record, "timestamp").is_null() &&
         !record.contains("type") && !record.contains("message");
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
      if (!list_at(message, "attachments").empty()) receiver_.lose("attachments");
      return;
    }
    model::Message answer{.provider = "anthropic",
                          .model = string_at(at(message, "usage"), "model"),
                          .duration_ms = count_at(message, "durationMs")};
    if (const Json& usage = at(message, "usage"); usage.is_object())
      answer.usage = usage_named(
          usage, {"inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens"});
    take_answer(id, time, std::move(answer), content);
  }
  void finish() { giver_.finish(); }

 private:
  // One message holds all that the model said in a turn, with its calls and their results: what
  // comes after results is another answer.
  void take_answer(const std::string& id, const std::string& time, model::Message answer,
                   const Json& content) {
    std::vector<model::Block> results;
    std::size_t part = 1;
    const auto give = [&] {
      const std::string part_id = part == 1 ? id : id + "/" + std::to_string(part);
      ForeignEntry entry{.id = part_id, .time = time};
      if (blocks_.take_left_out()) entry.raw = dump(content);
      model::Message next{.provider = answer.provider, .model = answer.model};
      giver_.answer(std::move(entry), std::exchange(answer, std::move(next)));
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
        std::ranges::move(blocks_.content(block, id), std::back_inserter(answer.content));
        continue;
      }
      std::string call = string_at(tool, "id");
      if (call.empty())
        call =
            "call_" + id + "_" + std::to_string(part) + "_" + std::to_string(answer.content.size());
      answer.content.emplace_back(model::ToolUse{
          call, string_at(tool, "name"), call_input(first_of(tool, {"input", "inputJson"}))});
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
  const Json list = plain_json(above, "sessions.json");
  for (const Json& row : elements(list)) {
    if (string_at(row, "id") != out.id) continue;
    out.title = string_at(row, "title");
    out.cwd = string_at(row, "agentDir");
    out.created_at = time_from(at(row, "createdAt"));
  }
  return out;
}

}  // namespace

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

void read_myagents(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const bool lean = is_myagents_message(first_record(file)) || file.name().ends_with(".jsonl");
  const Json whole = lean ? Json(nullptr) : whole_json(file);
  if (!receiver.begin(myagents_session(file))) return;
  MyAgentsReader reader(receiver);
  if (lean)
    each_record(file, options, receiver,
                [&](const ForeignRecord& record) { reader.take(record.json); });
  else
    for (const Json& message : list_at(whole, "messages")) reader.take(message);
  reader.finish();
}

}  // namespace skein::importers
