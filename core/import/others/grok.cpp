// Sessions of Grok's command line: lines without ids and times, and a summary next to them.

#include "core/import/arrays/openai.h"
#include "core/text/encoding.h"
#include "core/text/text.h"

namespace skein::importers {

namespace {

class GrokReader {
 public:
  explicit GrokReader(Receiver& receiver)
      : receiver_(receiver), contents_({}, receiver), chain_(receiver) {}

  void read(const Json& line, std::string_view text) {
    const std::string type = string_at(line, "type");
    if (type == "reasoning") {
      finish();
      thought_ = std::string(text);
      return;
    }
    if (type != "assistant") finish();
    id_ = short_hash({text}, 16);
    if (type == "system")
      add(ForeignContext{"instructions", words_of(at(line, "content"))});
    else if (type == "user")
      prompt(line, text);
    else if (type == "assistant")
      answer(line);
    else if (type == "tool_result")
      add(contents_.result(line, at(line, "content"), string_at(line, "tool_call_id")));
    else
      receiver_.lose(type == "backend_tool_call" ? "calls that the provider ran"
                                                 : "lines of other kinds");
  }

  // Thoughts that no answer followed.
  void finish() {
    if (thought_.empty()) return;
    id_ = short_hash({thought_}, 16);
    answer(Json{});
  }

  const std::string& leaf() const { return chain_.last(); }

 private:
  void add(ForeignContent said, JsonText raw = {}) {
    chain_.append(id_, {}, std::move(said), std::move(raw));
  }

  std::string words_of(const Json& content) {
    return model::plain_text({.content = contents_.content(content)});
  }

  void prompt(const Json& line, std::string_view text) {
    if (const std::string why = string_at(line, "synthetic_reason"); !why.empty())
      return add(ForeignContext{why, words_of(at(line, "content"))});
    model::Message message{.content = contents_.content(at(line, "content"))};
    if (!message.content.empty()) add(std::move(message), raw_if(contents_.unplaced(), text));
  }

  void answer(const Json& line) {
    model::Message message{.role = model::Role::assistant, .provider = "xai"};
    JsonText raw = std::exchange(thought_, {});
    if (const auto thought = parse_json(raw)) {
      add_thinking(message.content, joined_texts(at(*thought, "summary"), ""));
      if (!at(*thought, "encrypted_content").is_string()) raw.clear();
    }
    std::ranges::move(contents_.answer(line).content, std::back_inserter(message.content));
    if (message.content.empty()) return;
    message.model = string_at(line, "model_id");
    message.stop = stop_by_calls(message.content);
    add(std::move(message), std::move(raw));
  }

  Receiver& receiver_;
  OpenaiMessages contents_;
  EntryChain chain_;
  std::string id_{};
  JsonText thought_{};  // the line before the answer
};

// sessions/<the folder it is about>/<id>/chat_history.jsonl
ForeignSession grok_session(const SourceFile& file) {
  const Json summary = json_beside(file.folder() + "/summary.json");
  ForeignSession out{
      .id = string_at(at(summary, "info"), "id"),
      .cwd = folder_named(string_at(at(summary, "info"), "cwd")),
      .title = string_at(summary, "generated_title", string_at(summary, "session_summary")),
      .created_at = time_from(at(summary, "created_at")),
      .parent = string_at(summary, "parent_session_id"),
      .spawned = string_at(summary, "session_kind") == "subagent"};
  if (out.id.empty()) out.id = folder_name_of(file);
  if (out.cwd.empty()) {
    const std::filesystem::path folder =
        std::filesystem::path(absolute_path(file)).parent_path().parent_path();
    out.cwd = folder_named(percent_decoded(folder.filename().string()));
  }
  return out;
}

}  // namespace

bool is_grok(const SourceFile& file) {
  return std::ranges::any_of(first_records(file, 4), [&](const Json& line) {
    const std::string type = string_at(line, "type");
    if (line.contains("ts") || line.contains("uuid") || line.contains("timestamp")) return false;
    return (type == "assistant" && at(line, "model_id").is_string()) ||
           (type == "user" &&
            (line.contains("prompt_index") || line.contains("synthetic_reason"))) ||
           (type == "system" && at(line, "content").is_string() &&
            file.name() == "chat_history.jsonl");
  });
}

void read_grok(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  if (!receiver.begin(grok_session(file))) return;
  GrokReader reader(receiver);
  each_record(file, options, receiver,
              [&](const ForeignRecord& record) { reader.read(record.json, record.text); });
  if (!options.growing) reader.finish();
  receiver.end(reader.leaf());
}

}  // namespace skein::importers
