#include "core/exchange/importers/grok.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
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
      result(line);
    else
      receiver_.lose(type == "backend_tool_call" ? "calls the service ran itself"
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
  void add(std::variant<model::Message, model::Payload, ForeignContext> said, JsonText raw = {}) {
    chain_.append({.id = id_, .content = std::move(said), .raw = std::move(raw)});
  }

  std::string words_of(const Json& content) {
    return model::plain_text({.content = contents_.content(content).said});
  }

  void prompt(const Json& line, std::string_view text) {
    if (const std::string why = string_at(line, "synthetic_reason"); !why.empty())
      return add(ForeignContext{why, words_of(at(line, "content"))});
    OpenaiMessages::Content content = contents_.content(at(line, "content"));
    model::Message message{.role = model::Role::user, .content = std::move(content.said)};
    if (!message.content.empty())
      add(std::move(message), content.unplaced ? std::string(text) : JsonText{});
  }

  void answer(const Json& line) {
    model::Message message{.role = model::Role::assistant, .provider = "xai"};
    JsonText raw = std::exchange(thought_, {});
    if (const auto thought = parse_json(raw)) {
      std::string text;
      if (const Json& summary = at(*thought, "summary"); summary.is_array())
        for (const Json& part : summary) text += string_at(part, "text");
      if (!text.empty()) message.content.emplace_back(model::Thinking{.thinking = text});
      if (!at(*thought, "encrypted_content").is_string()) raw.clear();
    }
    ArrayMessage said = contents_.answer(line);
    for (auto& each : said.said)
      if (auto* spoken = std::get_if<model::Message>(&each))
        std::ranges::move(spoken->content, std::back_inserter(message.content));
    if (message.content.empty()) return;
    message.model = string_at(line, "model_id");
    message.stop = model::tool_uses(message).empty() ? model::Stop::stop : model::Stop::tool_use;
    add(std::move(message), std::move(raw));
  }

  void result(const Json& line) {
    ArrayMessage said =
        contents_.result(line, at(line, "content"), string_at(line, "tool_call_id"));
    add(std::get<model::Message>(std::move(said.said.front())));
  }

  Receiver& receiver_;
  OpenaiMessages contents_;
  EntryChain chain_;
  std::string id_{};
  JsonText thought_{};  // the line before the answer
};

// %2Fhome%2Fme
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto hex = [](char c) {
      const std::string_view digits = "0123456789abcdef";
      return digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    };
    if (text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) != std::string_view::npos &&
        hex(text[i + 2]) != std::string_view::npos) {
      out += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

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

// sessions/<the folder it is about>/<id>/chat_history.jsonl
ForeignSession grok_session(const SourceFile& file) {
  const Json summary = json_beside(file.folder() + "/summary.json");
  ForeignSession out{
      .id = string_at(at(summary, "info"), "id"),
      .cwd = folder_named(string_at(at(summary, "info"), "cwd")),
      .title = string_at(summary, "generated_title", string_at(summary, "session_summary")),
      .created_at = legacy::time_of(at(summary, "created_at")),
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

void read_grok(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  if (!receiver.begin(grok_session(file))) return;
  GrokReader reader(receiver);
  each_record(file, options, receiver, [&](const Json& line, std::string_view text) {
    reader.read(line, text);
    return true;
  });
  if (!options.growing) reader.finish();
  receiver.end(reader.leaf());
}

std::vector<std::string> grok_places(const Environment& environment) {
  return {environment("HOME") + "/.grok/sessions"};
}

}  // namespace

Format grok() {
  return {.name = "grok",
          .agent = "Grok",
          .channel = "grok",
          .recognizes = is_grok,
          .read = read_grok,
          .places = grok_places};
}

}  // namespace skein::exchange::importers
