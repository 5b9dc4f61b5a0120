// Sessions of Qwen Code: lines in Claude Code's envelope with Google's parts inside.

#include "core/import/google/gemini_parts.h"

namespace skein::importers {

namespace {

constexpr std::string_view format_name = "qwen";

// An answer that may have more lines: one of the same id is a piece of it.
struct Pieces {
  ForeignEntry entry{};
  model::Message message{.role = model::Role::assistant};
  std::size_t count = 0;
};

class QwenReader {
 public:
  QwenReader(std::string session, const ReadOptions& options, Receiver& receiver)
      : session_(std::move(session)),
        growing_(options.growing),
        parts_(receiver),
        chain_(receiver) {}

  void read(const Json& line, std::string_view text) {
    const std::string type = string_at(line, "type");
    uuid_ = string_at(line, "uuid");
    // Before anything else, since a piece has the same parent as the first one.
    if (type != "assistant" || uuid_ != pieces_.entry.id) flush();
    parent_ = string_at(line, "parentUuid");
    time_ = time_from(at(line, "timestamp"));
    if (type == "assistant")
      answer(line, text);
    else if (type == "user")
      prompt(line, text);
    else if (type == "tool_result")
      results(line, text);
    else if (type == "system" && string_at(line, "subtype") == "chat_compression")
      compaction(at(line, "systemPayload"));
    else
      chain_.pass(uuid_, parent_);
    last_ = uuid_;
  }

  std::string finish() {
    if (!growing_) flush();
    return pieces_.count > 0 ? chain_.place_of(pieces_.entry.parent) : chain_.place_of(last_);
  }

 private:
  std::string add(std::string id, ForeignContent said, JsonText raw = {}) {
    return chain_.add({std::move(id), parent_, time_, std::move(said), std::move(raw)});
  }

  void prompt(const Json& line, std::string_view text) {
    const Json& parts = at(at(line, "message"), "parts");
    const std::string subtype = string_at(line, "subtype"),
                      provenance = string_at(line, "provenance", "real_user");
    if ((!subtype.empty() && subtype != "mid_turn_user_message") || provenance != "real_user") {
      add(uuid_, ForeignContext{subtype.empty() ? "reminder" : subtype, spoken_text(parts)});
      return;
    }
    GeminiContent content = parts_.read(parts, uuid_);
    const std::string typed = string_at(at(line, "systemPayload"), "displayText");
    if (const std::string added = take_added(content.said, typed); !added.empty())
      add(uuid_ + "/context", ForeignContext{"reminder", added});
    if (content.said.empty()) return chain_.pass(uuid_, parent_);
    const std::string words = spoken_text(parts);
    const std::string id =
        add(uuid_, model::Message{.role = model::Role::user, .content = std::move(content.said)},
            raw_if(content.unplaced, text));
    prompts_[short_hash({words})] = id;
  }

  // Takes what hooks and the program added to the typed words out of the message.
  static std::string take_added(std::vector<model::Block>& said, const std::string& typed) {
    std::string added;
    if (typed.empty()) return added;
    bool found = false;
    std::erase_if(said, [&](const model::Block& block) {
      const auto* text = std::get_if<model::Text>(&block);
      if (text == nullptr || (!found && text->text == typed && (found = true))) return false;
      added += (added.empty() ? "" : "\n") + text->text;
      return true;
    });
    if (!found) said.insert(said.begin(), model::Text{typed});
    return added;
  }

  void answer(const Json& line, std::string_view text) {
    if (pieces_.count++ == 0) pieces_.entry = {.id = uuid_, .parent = parent_, .time = time_};
    GeminiContent content =
        parts_.read(at(at(line, "message"), "parts"), uuid_ + "/" + std::to_string(pieces_.count));
    model::Message& message = pieces_.message;
    std::ranges::move(content.said, std::back_inserter(message.content));
    if (content.unplaced && pieces_.entry.raw.empty()) pieces_.entry.raw = std::string(text);
    if (std::string model = string_at(line, "model"); !model.empty())
      message.model = std::move(model);
    if (auto usage =
            gemini_usage(at(line, "usageMetadata"),
                         {"promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount",
                          "thoughtsTokenCount", "toolUsePromptTokenCount", "totalTokenCount"}))
      message.usage = usage;
  }

  // Gives the answer. With more pieces it is another one than it seemed to be with fewer.
  void flush() {
    if (pieces_.count == 0) return;
    auto [entry, message, count] = std::exchange(pieces_, {});
    const std::string uuid = entry.id;
    if (message.content.empty() && !message.usage) return chain_.pass(uuid, entry.parent);
    if (message.model.starts_with("qwen") || message.model == "coder-model")
      message.provider = "qwen";
    message.stop = stop_by_calls(message.content);
    if (count > 1) entry.id += "+" + std::to_string(count);
    entry.content = std::move(message);
    chain_.pass(uuid, chain_.add(std::move(entry)));
  }

  void results(const Json& line, std::string_view text) {
    GeminiContent content = parts_.read(at(at(line, "message"), "parts"), uuid_);
    const Json& facts = at(line, "toolCallResult");
    const std::string status = string_at(facts, "status");
    const bool failed = status == "error" || status == "cancelled";
    if (content.results.empty()) return chain_.pass(uuid_, parent_);
    for (std::size_t i = 0; i < content.results.size(); ++i) {
      model::ToolResult& result = content.results[i];
      if (result.tool_use_id.empty()) result.tool_use_id = string_at(facts, "callId");
      result.is_error = result.is_error || failed;
      const bool last = i + 1 == content.results.size();
      // The line's own id is that of the last, which others come below.
      parent_ = add(last ? uuid_ : uuid_ + "/" + std::to_string(i + 1),
                    result_message(std::move(result)), raw_if(last && content.unplaced, text));
    }
  }

  // The history that takes the place of everything before: a summary, and perhaps the last turns
  // as they were.
  void compaction(const Json& payload) {
    model::payload::CompactionSummary out{};
    for (const Json& content : list_at(payload, "compressedHistory")) {
      const std::string words = spoken_text(at(content, "parts"));
      if (out.summary.empty()) {
        out.summary = words;
        continue;
      }
      const auto kept = prompts_.find(short_hash({words}));
      if (string_at(content, "role") != "user" || kept == prompts_.end()) continue;
      out.first_kept = entry_id(format_name, session_, kept->second);
      break;
    }
    if (out.summary.empty()) return chain_.pass(uuid_, parent_);
    out.tokens_before = count_at(at(payload, "info"), "originalTokenCount");
    add(uuid_, model::Payload{std::move(out)});
  }

  const std::string session_;
  const bool growing_;
  GeminiParts parts_;
  EntryChain chain_;
  Pieces pieces_{};
  std::string uuid_{}, parent_{}, time_{}, last_{};         // of the line
  std::unordered_map<std::string, std::string> prompts_{};  // by their words: the last such entry
};

bool is_ours(const Json& line) {
  return at(line, "uuid").is_string() && at(line, "sessionId").is_string() &&
         (at(at(line, "message"), "parts").is_array() || at(line, "systemPayload").is_object());
}

std::string qwen_title(const SourceFile& file) {
  std::string title;
  file.lines([&](const SourceFile::Line& line) {
    if (line.text.find("\"custom_title\"") == std::string_view::npos) return true;
    if (const auto json = parse_json(line.text))
      if (string_at(*json, "subtype") == "custom_title")
        title = string_at(at(*json, "systemPayload"), "customTitle", title);
    return true;
  });
  return title;
}

// The first line that names a session says which it is.
ForeignSession qwen_session(const SourceFile& file) {
  ForeignSession out{.id = name_without_ending(file), .title = qwen_title(file)};
  for (const Json& line : first_records(file, 8)) {
    if (!is_ours(line)) continue;
    out.id = string_at(line, "sessionId");
    out.cwd = folder_named(string_at(line, "cwd"));
    out.created_at = time_from(at(line, "timestamp"));
    if (const std::string agent = string_at(line, "agentId");
        !agent.empty() && bool_at(line, "isSidechain")) {
      out.parent = std::exchange(out.id, out.id + "/" + agent);
      out.spawned = true;
    }
    break;
  }
  return out;
}

}  // namespace

bool is_qwen(const SourceFile& file) {
  const std::vector<Json> first = first_records(file, 8);
  return std::ranges::any_of(first, is_ours);
}

void read_qwen(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const ForeignSession session = qwen_session(file);
  if (!receiver.begin(session)) return;
  QwenReader reader(session.id, options, receiver);
  each_record(file, options, receiver,
              [&](const ForeignRecord& record) { reader.read(record.json, record.text); });
  receiver.end(reader.finish());
}

}  // namespace skein::importers
