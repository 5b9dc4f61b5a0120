#include "core/exchange/importers/gemini.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "core/exchange/importers/entry_chain.h"
#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/gemini_history.h"
#include "core/exchange/importers/gemini_parts.h"
#include "core/exchange/importers/json_records.h"
#include "core/legacy/blocks.h"

namespace skein::exchange::importers {

namespace {

using Kind = GeminiHistory::Kind;

constexpr std::string_view files_begin = "--- Content from referenced files ---";

struct GeminiFile {
  GeminiHistory history{};
  std::string id{}, created_at{}, title{};
  bool spawned = false;

  void learn(const Json& facts) {
    if (id.empty()) id = string_at(facts, "sessionId");
    if (created_at.empty()) created_at = legacy::time_of(at(facts, "startTime"));
    if (std::string summary = string_at(facts, "summary"); !summary.empty())
      title = std::move(summary);
    if (string_at(facts, "kind") == "subagent") spawned = true;
  }

  void record(const Json& json, std::string_view text) {
    if (const Json& target = at(json, "$rewindTo"); target.is_string())
      return history.rewind_to(target.get_ref<const std::string&>());
    if (const Json& changes = at(json, "$set"); changes.is_object()) {
      learn(changes);
      if (const Json& messages = at(changes, "messages"); messages.is_array())
        history.replace_all(messages);
    } else if (at(json, "id").is_string()) {
      history.add(json, text);
    } else {
      learn(json);
    }
  }
};

bool is_one_object(const Json& json) { return at(json, "messages").is_array(); }

GeminiFile read_file(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  GeminiFile out;
  const std::vector<Json> first = first_records(file, 1);
  if (first.empty() || is_one_object(first[0]))
    if (const Json whole = whole_json(file); is_one_object(whole)) {
      out.learn(whole);
      for (const Json& message : at(whole, "messages"))
        if (message.is_object()) out.history.add(message, dump(message));
      return out;
    }
  each_record(file, options, receiver, [&](const Json& json, std::string_view text) {
    out.record(json, text);
    return true;
  });
  return out;
}

// Beside the folder of the chats; a sub-agent's lie one folder deeper.
std::string project_of(const SourceFile& file) {
  for (const char* place : {"/../.project_root", "/.project_root", "/../../.project_root"}) {
    const auto found = SourceFile::open(file.folder() + place);
    if (const auto* root = std::get_if<SourceFile>(&found))
      if (std::string cwd = folder_named(root->read(0, 4096)); !cwd.empty()) return cwd;
  }
  return {};
}

ForeignSession gemini_session(const SourceFile& file, const GeminiFile& read) {
  ForeignSession out{.id = read.id,
                     .cwd = project_of(file),
                     .title = read.title,
                     .created_at = read.created_at,
                     .spawned = read.spawned};
  if (out.id.empty()) out.id = name_without_ending(file);
  // chats/<the session that spawned it>/<its own>.jsonl
  if (out.spawned) {
    const std::string folder = folder_name_of(file);
    if (folder != "chats" && folder != out.id && folder.size() > 8) out.parent = folder;
  }
  return out;
}

// The result of a call where it is kept with the call: parts, or only what the user was shown.
std::optional<model::ToolResult> kept_result(const Json& call, GeminiParts& parts) {
  const std::string status = string_at(call, "status");
  const bool failed = status == "error" || status == "cancelled";
  const Json& given = at(call, "result");
  GeminiContent content = parts.read(given, {});
  model::ToolResult out;
  if (!content.results.empty())
    out = std::move(content.results.front());
  else if (const std::string text = spoken_text(given); !text.empty())
    out.content.emplace_back(model::Text{text});
  else if (const std::string shown = string_at(call, "resultDisplay");
           !shown.empty() && (failed || status == "success"))
    out.content.emplace_back(model::Text{shown});
  else if (failed)
    out.content.emplace_back(model::Text{"(" + status + ")"});
  else
    return std::nullopt;
  out.is_error = out.is_error || failed;
  return out;
}

class GeminiWriter {
 public:
  GeminiWriter(const GeminiHistory& history, Receiver& receiver)
      : history_(history), parts_(receiver), chain_(receiver) {}

  void write(const ReadOptions& options) {
    for (std::size_t i = 0; i < history_.nodes().size(); ++i) {
      const GeminiHistory::Node& node = history_.nodes()[i];
      ends_.push_back(node.parent ? ends_[*node.parent] : std::string{});
      const GeminiHistory::Message& message = history_.messages()[node.message];
      const Json record = parse_json(message.record).value_or(Json{});
      if (options.growing && history_.leaf() == i && !node.has_child &&
          message.kind == Kind::answer && !is_finished(record))
        continue;
      id_ = message.form > 1 ? node.id + "+" + std::to_string(message.form) : node.id;
      time_ = legacy::time_of(at(record, "timestamp"));
      if (message.kind == Kind::answer)
        answer(record, message.record);
      else if (message.kind == Kind::prompt)
        prompt(record, message.record);
      else
        context(message.kind == Kind::context ? "environment" : string_at(record, "type"),
                spoken_text(at(record, "content")), id_);
    }
  }

  std::string leaf() const { return history_.leaf() ? ends_[*history_.leaf()] : std::string{}; }

 private:
  // An answer's calls are written when they are done.
  bool is_finished(const Json& record) const {
    std::unordered_set<std::string> done;
    if (const Json& kept = at(record, "toolCalls"); kept.is_array())
      for (const Json& call : kept)
        if (!at(call, "result").is_null()) done.insert(string_at(call, "id"));
    const std::vector<std::string> calls = gemini_calls(record);
    return !calls.empty() && std::ranges::all_of(calls, [&](const std::string& call) {
      return done.contains(call) || history_.response_to(call) != nullptr;
    });
  }

  void add(model::Message message, JsonText raw) {
    ends_.back() = chain_.add({.id = id_,
                               .parent = ends_.back(),
                               .time = time_,
                               .content = std::move(message),
                               .raw = std::move(raw)});
  }

  void context(std::string label, std::string text, std::string id) {
    chain_.add({.id = std::move(id),
                .parent = ends_.back(),
                .time = time_,
                .content = ForeignContext{std::move(label), std::move(text)}});
  }

  void prompt(const Json& record, const JsonText& raw) {
    GeminiContent content = parts_.read(at(record, "content"), id_);
    const std::string all = spoken_text(at(record, "content"));
    const std::string shown = spoken_text(at(record, "displayContent"));
    std::string added;
    if (!shown.empty() && shown != all) {
      added = all;
      std::erase_if(content.said, [](const model::Block& block) {
        return std::holds_alternative<model::Text>(block);
      });
      content.said.insert(content.said.begin(), model::Text{shown});
    } else {
      added = take_files(content.said);
    }
    if (!added.empty()) context("attachments", std::move(added), id_ + "/context");
    if (content.said.empty()) return;
    add({.role = model::Role::user, .content = std::move(content.said)},
        content.unplaced ? raw : JsonText{});
  }

  // Files the user named are put behind the prompt.
  static std::string take_files(std::vector<model::Block>& said) {
    const auto begin = std::ranges::find_if(said, [](const model::Block& block) {
      const auto* text = std::get_if<model::Text>(&block);
      if (text == nullptr) return false;
      const std::size_t at = text->text.find_first_not_of(" \n");
      return at != std::string::npos && text->text.substr(at).starts_with(files_begin);
    });
    std::string out;
    for (auto each = begin; each != said.end(); ++each)
      if (const auto* text = std::get_if<model::Text>(&*each)) out += text->text;
    if (!out.empty())
      said.erase(std::remove_if(begin, said.end(),
                                [](const model::Block& block) {
                                  return std::holds_alternative<model::Text>(block);
                                }),
                 said.end());
    return out;
  }

  static void add_thoughts(const Json& record, std::vector<model::Block>& said) {
    const Json& thoughts = at(record, "thoughts");
    if (!thoughts.is_array()) return;
    for (const Json& thought : thoughts) {
      const std::string subject = string_at(thought, "subject");
      std::string text = string_at(thought, "description");
      if (!subject.empty()) text = subject + (text.empty() ? "" : "\n" + text);
      if (!text.empty()) said.emplace_back(model::Thinking{.thinking = std::move(text)});
    }
  }

  void answer(const Json& record, const JsonText& raw) {
    model::Message message{.role = model::Role::assistant, .provider = "google"};
    add_thoughts(record, message.content);
    const Json& calls = at(record, "toolCalls");
    const bool kept_apart = calls.is_array() && !calls.empty();
    GeminiContent content = parts_.read(at(record, "content"), id_);
    if (kept_apart)
      std::erase_if(content.said, [](const model::Block& block) {
        return std::holds_alternative<model::ToolUse>(block);
      });
    std::ranges::move(content.said, std::back_inserter(message.content));
    std::vector<std::optional<model::ToolResult>> results;
    if (kept_apart)
      for (std::size_t n = 0; n < calls.size(); ++n) {
        message.content.emplace_back(parts_.call(calls[n], id_, n));
        results.push_back(kept_result(calls[n], parts_));
      }
    message.model = string_at(record, "model");
    message.usage = usage_in(at(record, "tokens"));
    if (message.content.empty() && !message.usage) return;
    std::vector<std::string> ids;
    for (const model::ToolUse* call : model::tool_uses(message)) ids.push_back(call->id);
    message.stop = ids.empty() ? model::Stop::stop : model::Stop::tool_use;
    add(std::move(message), content.unplaced ? raw : JsonText{});
    results.resize(ids.size());
    add_results(ids, std::move(results));
  }

  void add_results(const std::vector<std::string>& calls,
                   std::vector<std::optional<model::ToolResult>> results) {
    const std::string answer = ends_.back();
    std::unordered_set<std::string_view> done;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!done.insert(calls[i]).second) continue;
      if (!results[i]) results[i] = answered_later(calls[i]);
      if (!results[i]) continue;
      results[i]->tool_use_id = calls[i];
      id_ = answer + "/" + calls[i];
      model::Message message{.role = model::Role::tool};
      message.content.emplace_back(*std::move(results[i]));
      add(std::move(message), {});
    }
  }

  // A message may answer many calls, and is read for the first of them.
  std::optional<model::ToolResult> answered_later(const std::string& call) {
    const GeminiHistory::Message* message = history_.response_to(call);
    if (message == nullptr) return std::nullopt;
    if (later_read_.insert(message).second)
      if (const auto record = parse_json(message->record))
        for (model::ToolResult& result : parts_.read(at(*record, "content"), {}).results) {
          std::string answered = result.tool_use_id;
          later_.emplace(std::move(answered), std::move(result));
        }
    const auto found = later_.find(call);
    return found == later_.end() ? std::nullopt : std::optional(found->second);
  }

  static std::optional<model::Usage> usage_in(const Json& tokens) {
    return usage_of({.prompt = count_at(tokens, "input"),
                     .output = count_at(tokens, "output"),
                     .cached = count_at(tokens, "cached"),
                     .thoughts = count_at(tokens, "thoughts"),
                     .tools = count_at(tokens, "tool"),
                     .total = count_at(tokens, "total")});
  }

  const GeminiHistory& history_;
  GeminiParts parts_;
  EntryChain chain_;
  std::vector<std::string> ends_{};  // of each node: the entry that follows it comes below this one
  std::unordered_set<const GeminiHistory::Message*> later_read_{};
  std::unordered_map<std::string, model::ToolResult> later_{};  // by their calls
  std::string id_{}, time_{};                                   // of what is being given
};

bool is_gemini(const SourceFile& file) {
  const std::vector<Json> first = first_records(file, 3);
  for (const Json& record : first)
    if ((at(record, "sessionId").is_string() && at(record, "projectHash").is_string()) ||
        at(record, "$set").is_object() || at(record, "$rewindTo").is_string())
      return true;
  if (!first.empty()) return false;
  const std::string head = file.head();
  const std::size_t begin = head.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  const auto has = [&](std::string_view member) { return head.find(member) != std::string::npos; };
  return begin != std::string::npos && head[begin] == '{' && has("\"sessionId\"") &&
         has("\"projectHash\"") && has("\"messages\"");
}

void read_gemini(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const GeminiFile content = read_file(file, options, receiver);
  if (!receiver.begin(gemini_session(file, content))) return;
  GeminiWriter writer(content.history, receiver);
  writer.write(options);
  receiver.end(writer.leaf());
}

std::vector<std::string> gemini_places(const Environment& environment) {
  return {environment("HOME") + "/.gemini/tmp"};
}

}  // namespace

Format gemini() {
  return {.name = "gemini",
          .agent = "Gemini CLI",
          .channel = "gemini",
          .recognizes = is_gemini,
          .read = read_gemini,
          .places = gemini_places};
}

}  // namespace skein::exchange::importers
