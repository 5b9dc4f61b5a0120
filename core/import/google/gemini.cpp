// Sessions of Gemini CLI: since 2026 a log of mutations, before that one object.

#include "core/import/google/gemini_parts.h"
#include "core/text/text.h"

namespace skein::importers {

namespace {

enum class GeminiKind {
  answer,
  prompt,
  context,  // what the program tells the model by itself
  notice,   // what it tells the user
  results,  // of calls, and nothing else: they belong to the calls
  nothing,
};

// A checkpoint costs a few bytes for every message it names, and a place costs the whole message.
constexpr std::size_t most_places = 16;

// What parts of that kind hold. A part may be alone.
std::vector<const Json*> parts_of(const Json& message, const char* kind) {
  const Json& content = at(message, "content");
  std::vector<const Json*> out;
  if (const Json& alone = at(content, kind); alone.is_object()) out.push_back(&alone);
  for (const Json& part : elements(content))
    if (const Json& found = at(part, kind); found.is_object()) out.push_back(&found);
  return out;
}

// The calls an answer makes.
std::vector<const Json*> gemini_calls(const Json& message) {
  std::vector<const Json*> out;
  for (const Json& call : list_at(message, "toolCalls")) out.push_back(&call);
  return out.empty() ? parts_of(message, "functionCall") : out;
}

// The ids of those that have one.
std::vector<std::string> gemini_call_ids(const Json& message) {
  std::vector<std::string> out;
  for (const Json* call : gemini_calls(message))
    if (std::string id = string_at(*call, "id"); !id.empty()) out.push_back(std::move(id));
  return out;
}

// The same for the same words and calls, in whatever shape they are written.
std::string content_of(const Json& message, GeminiKind kind) {
  std::string calls;
  for (const Json* call : gemini_calls(message))
    calls += short_hash({string_at(*call, "id"), string_at(*call, "name"), text_at(*call, "args")});
  const std::string words = spoken_text(at(message, "content"));
  return short_hash({std::to_string(static_cast<int>(kind)), words,
                     words.empty() && calls.empty() ? text_at(message, "content") : "", calls},
                    24);
}

// What Gemini CLI's log of mutations comes to: every message in the form that tells most, in a tree
// whose branches are what rewinds and checkpoints dropped.
class GeminiHistory {
 public:
  static GeminiKind kind_of(const Json& message) {
    const std::string type = string_at(message, "type");
    const Json& content = at(message, "content");
    if (type == "gemini") return GeminiKind::answer;  // though it may be empty for now
    if (type != "user")
      return spoken_text(content).empty() ? GeminiKind::nothing : GeminiKind::notice;
    if (!parts_of(message, "functionResponse").empty()) return GeminiKind::results;
    if (spoken_text(content).starts_with("<session_context>")) return GeminiKind::context;
    const auto* text = content.get_ptr<const std::string*>();
    return content.empty() || (text != nullptr && text->empty()) ? GeminiKind::nothing
                                                                 : GeminiKind::prompt;
  }

  struct Node;
  struct Message {
    std::string id{};
    GeminiKind kind = GeminiKind::nothing;
    JsonText record{};
    std::string content{};  // of the last form, as a hash
    // Counts the contents it had: an answer is written before its calls are known, and is not the
    // same entry with them.
    std::size_t form = 1;
    bool current = false;
    std::vector<Node*> places{};  // several, if a checkpoint put it behind another one
  };
  struct Node {
    std::string id{};
    const Message* message = nullptr;
    Node* parent = nullptr;  // none: it is at the beginning
    std::size_t number = 0;  // those of parents are smaller
    bool has_child = false;
  };

  // `text` is empty in a checkpoint.
  void add(const Json& message, std::string_view text) {
    if (Message& said = learn(message, text); !said.current) append(said);
  }

  void rewind_to(std::string_view id) {
    while (!said_.empty()) {
      Message& dropped = *said_.back().message;
      dropped.current = false;
      said_.pop_back();
      if (dropped.id == id) break;
    }
  }

  void replace_all(const Json& messages) {
    for (const Said& each : said_) each.message->current = false;
    said_.clear();
    for (const Json& message : messages)
      if (message.is_object()) add(message, {});
  }

  const std::deque<Node>& nodes() const { return nodes_; }  // parents first
  Node* leaf() const { return said_.empty() ? nullptr : said_.back().after; }

  // The message that holds a call's result although the call's does not.
  const Message* response_to(const std::string& call) const { return found_in(by_response_, call); }

 private:
  struct Said {
    Message* message = nullptr;
    Node* after = nullptr;  // the last node that may have children, this one included
  };

  // A message that is said here. The first record counts, since what a checkpoint writes has lost
  // the tokens and the model; but one that replaces itself knows more.
  Message& learn(const Json& message, std::string_view text) {
    const bool checkpoint = text.empty();
    const GeminiKind kind = kind_of(message);
    std::string content = content_of(message, kind), id = string_at(message, "id");
    if (id.empty()) id = "-" + short_hash({content, string_at(message, "timestamp")});
    if (Message* const old = known(message, id, content, checkpoint)) {
      if (checkpoint || old->kind != kind) return *old;
      if (std::exchange(old->content, content) != content) ++old->form;
      old->record = std::string(text);
      remember_calls(message, *old);
      return *old;
    }
    Message& fresh =
        messages_.emplace_back(Message{.id = id,
                                       .kind = kind,
                                       .record = checkpoint ? dump(message) : std::string(text),
                                       .content = std::move(content)});
    by_id_.emplace(std::move(id), &fresh);
    remember_calls(message, fresh);
    return fresh;
  }

  Message* known(const Json& message, const std::string& id, const std::string& content,
                 bool checkpoint) const {
    Message* found = found_in(by_id_, id);
    if (found != nullptr || !checkpoint) return found;
    // Rewritten under another id: the same call, or the same words in the same place.
    for (const std::string& call : gemini_call_ids(message))
      if (found = found_in(by_call_, call); found != nullptr) return found;
    return found_in(by_content_, std::pair<const Node*, std::string>(leaf(), content));
  }

  void remember_calls(const Json& message, Message& holder) {
    for (std::string& call : gemini_call_ids(message)) by_call_.emplace(std::move(call), &holder);
    for (const Json* response : parts_of(message, "functionResponse"))
      if (std::string call = string_at(*response, "id"); !call.empty())
        by_response_.emplace(std::move(call), &holder);
  }

  void append(Message& message) {
    message.current = true;
    Said said{.message = &message, .after = leaf()};
    if (message.kind != GeminiKind::results && message.kind != GeminiKind::nothing) {
      Node* const node = node_for(message, said.after);
      if (moves(message)) said.after = node;
    }
    said_.push_back(said);
  }

  // A context is no parent: it changes with every start of the program, and what follows must not.
  static bool moves(const Message& message) {
    return message.kind == GeminiKind::answer || message.kind == GeminiKind::prompt;
  }

  Node* node_for(Message& message, Node* parent) {
    for (Node* node : message.places)
      if (!moves(message) || node->parent == parent) return node;
    if (message.places.size() == most_places)
      return *std::ranges::min_element(message.places, {}, [](const Node* node) {
        return node->parent == nullptr ? 0 : node->parent->number + 1;
      });
    Node& node = nodes_.emplace_back(
        Node{.id = message.id, .message = &message, .parent = parent, .number = nodes_.size()});
    if (!message.places.empty())
      node.id += "@" + short_hash({parent == nullptr ? std::string{} : parent->id}, 8);
    if (parent != nullptr) parent->has_child = true;
    message.places.push_back(&node);
    by_content_.emplace(std::pair(moves(message) ? parent : nullptr, message.content), &message);
    return &node;
  }

  std::deque<Message> messages_{};  // these and nodes do not move
  std::deque<Node> nodes_{};
  std::vector<Said> said_{};
  std::unordered_map<std::string, Message*> by_id_{};
  std::unordered_map<std::string, Message*> by_call_{};                   // who made it
  std::unordered_map<std::string, Message*> by_response_{};               // who answers it
  std::map<std::pair<const Node*, std::string>, Message*> by_content_{};  // below that parent
};

constexpr std::string_view files_begin = "--- Content from referenced files ---";

struct GeminiFile {
  GeminiHistory history{};
  std::string id{}, created_at{}, title{};
  bool spawned = false;

  void learn(const Json& facts) {
    if (id.empty()) id = string_at(facts, "sessionId");
    if (created_at.empty()) created_at = time_from(at(facts, "startTime"));
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

GeminiFile read_file(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  GeminiFile out;
  const std::vector<Json> first = first_records(file, 1);
  if (first.empty() || at(first[0], "messages").is_array()) {
    const Json whole = whole_json(file);
    if (const Json& messages = at(whole, "messages"); messages.is_array()) {
      out.learn(whole);
      for (const Json& message : messages)
        if (message.is_object()) out.history.add(message, dump(message));
      return out;
    }
  }
  each_record(file, options, receiver,
              [&](const ForeignRecord& record) { out.record(record.json, record.text); });
  return out;
}

// Next to the folder of the chats; those of a sub-agent are one folder deeper.
std::string project_of(const SourceFile& file) {
  for (const char* place : {"/../.project_root", "/.project_root", "/../../.project_root"}) {
    const std::string root = file_beginning(file.folder() + place, 4096);
    if (std::string cwd = folder_named(root); !cwd.empty()) return cwd;
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
    for (const GeminiHistory::Node& node : history_.nodes()) {
      const GeminiHistory::Message& message = *node.message;
      ends_.push_back(node.parent == nullptr ? std::string{} : ends_[node.parent->number]);
      const Json record = parse_json(message.record).value_or(Json{});
      if (options.growing && history_.leaf() == &node && !node.has_child &&
          message.kind == GeminiKind::answer && !is_finished(record))
        continue;
      id_ = message.form > 1 ? node.id + "+" + std::to_string(message.form) : node.id;
      time_ = time_from(at(record, "timestamp"));
      if (message.kind == GeminiKind::answer)
        answer(record, message.record);
      else if (message.kind == GeminiKind::prompt)
        prompt(record, message.record);
      else
        context(message.kind == GeminiKind::context ? "environment" : string_at(record, "type"),
                spoken_text(at(record, "content")), id_);
    }
  }

  std::string leaf() const {
    return history_.leaf() == nullptr ? std::string{} : ends_[history_.leaf()->number];
  }

 private:
  // An answer's calls are written when they are done.
  bool is_finished(const Json& record) const {
    std::unordered_set<std::string> done;
    for (const Json& call : list_at(record, "toolCalls"))
      if (!at(call, "result").is_null()) done.insert(string_at(call, "id"));
    const std::vector<std::string> calls = gemini_call_ids(record);
    return !calls.empty() && std::ranges::all_of(calls, [&](const std::string& call) {
      return done.contains(call) || history_.response_to(call) != nullptr;
    });
  }

  void add(model::Message message, JsonText raw) {
    ends_.back() = chain_.add({id_, ends_.back(), time_, std::move(message), std::move(raw)});
  }

  void context(std::string label, std::string text, std::string id) {
    chain_.add(
        {std::move(id), ends_.back(), time_, ForeignContext{std::move(label), std::move(text)}});
  }

  void prompt(const Json& record, const JsonText& raw) {
    GeminiContent content = parts_.read(at(record, "content"), id_);
    const std::string all = spoken_text(at(record, "content"));
    const std::string shown = spoken_text(at(record, "displayContent"));
    std::string added;
    if (!shown.empty() && shown != all) {
      added = all;
      erase_blocks<model::Text>(content.said);
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
    std::string files;
    std::erase_if(said, [&](const model::Block& block) {
      const auto* text = std::get_if<model::Text>(&block);
      if (text == nullptr) return false;
      if (files.empty() && !trimmed(text->text, " \n").starts_with(files_begin)) return false;
      files += text->text;
      return true;
    });
    return files;
  }

  static void add_thoughts(const Json& record, std::vector<model::Block>& said) {
    for (const Json& thought : list_at(record, "thoughts")) {
      const std::string subject = string_at(thought, "subject");
      std::string text = string_at(thought, "description");
      if (!subject.empty()) text = subject + (text.empty() ? "" : "\n" + text);
      add_thinking(said, std::move(text));
    }
  }

  void answer(const Json& record, const JsonText& raw) {
    model::Message message{.role = model::Role::assistant, .provider = "google"};
    add_thoughts(record, message.content);
    const std::vector<Json>& calls = list_at(record, "toolCalls");
    GeminiContent content = parts_.read(at(record, "content"), id_);
    if (!calls.empty()) erase_blocks<model::ToolUse>(content.said);  // they are kept apart
    std::ranges::move(content.said, std::back_inserter(message.content));
    std::vector<std::optional<model::ToolResult>> results;
    for (std::size_t n = 0; n < calls.size(); ++n) {
      message.content.emplace_back(parts_.call(calls[n], id_, n));
      results.push_back(kept_result(calls[n], parts_));
    }
    message.model = string_at(record, "model");
    message.usage = gemini_usage(at(record, "tokens"),
                                 {"input", "output", "cached", "thoughts", "tool", "total"});
    if (message.content.empty() && !message.usage) return;
    std::vector<std::string> ids;
    for (const model::ToolUse* call : model::tool_uses(message)) ids.push_back(call->id);
    message.stop = stop_by_calls(message.content);
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
      add(result_message(*std::move(results[i])), {});
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

  const GeminiHistory& history_;
  GeminiParts parts_;
  EntryChain chain_;
  std::vector<std::string> ends_{};  // of each node: the entry that follows it comes below this one
  std::unordered_set<const GeminiHistory::Message*> later_read_{};
  std::unordered_map<std::string, model::ToolResult> later_{};  // by their calls
  std::string id_{}, time_{};                                   // of what is being given
};

}  // namespace

bool is_gemini(const SourceFile& file) {
  const std::vector<Json> first = first_records(file, 3);
  for (const Json& record : first)
    if ((at(record, "sessionId").is_string() && at(record, "projectHash").is_string()) ||
        at(record, "$set").is_object() || at(record, "$rewindTo").is_string())
      return true;
  if (!first.empty()) return false;
  return begins_with_object_of(file, {"sessionId", "projectHash", "messages"});
}

void read_gemini(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const GeminiFile content = read_file(file, options, receiver);
  if (!receiver.begin(gemini_session(file, content))) return;
  GeminiWriter writer(content.history, receiver);
  writer.write(options);
  receiver.end(writer.leaf());
}

}  // namespace skein::importers
