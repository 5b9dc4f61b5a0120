#include "core/import/pi/pi.h"

#include "core/text/text.h"

namespace skein::importers {

namespace {

// Members that would be sealed for a provider, or that only pi itself can use.
bool pi_has_more(const Json& object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Json& member = at(object, name);
    if (!member.is_null() && member != false) return true;
  }
  return false;
}

struct PiBlocks {
  PiBlocks(const Json& content, Receiver& keeper) : receiver(keeper) {
    if (content.is_string()) add_text(blocks, content.get<std::string>());
    for (const Json& block : elements(content)) add(block);
  }

  Receiver& receiver;
  bool more = false;
  std::vector<model::Block> blocks{};

  void add(const Json& block) {
    more |= pi_has_more(
        block, {"textSignature", "thinkingSignature", "redacted", "thoughtSignature", "namespace"});
    const std::string type = string_at(block, "type");
    if (type == "text") {
      add_text(blocks, string_at(block, "text"));
    } else if (type == "thinking") {
      // What was signed is kept as text: no other conversation may send it back.
      std::string text = string_at(block, "thinking");
      if (bool_at(block, "redacted")) text.clear();
      more |= text.empty();
      add_thinking(blocks, std::move(text));
    } else if (type == "image") {
      if (!add_image(blocks,
                     kept_image(receiver, string_at(block, "mimeType"), string_at(block, "data"))))
        receiver.lose("images that cannot be read");
    } else if (type == "toolCall") {
      blocks.emplace_back(model::ToolUse{.id = string_at(block, "id"),
                                         .name = string_at(block, "name"),
                                         .input = call_input(at(block, "arguments"))});
    } else {
      more = true;
      receiver.lose("blocks of unknown kinds");
    }
  }
};

// nullopt: there is none.
std::optional<model::Usage> pi_usage(const Json& usage) {
  if (!usage.is_object()) return std::nullopt;
  model::Usage out = usage_named(usage, {"input", "output", "cacheRead", "cacheWrite"});
  out.reasoning = count_at(usage, "reasoning");
  return out;
}

model::Stop pi_stop(const std::string& reason, const std::vector<model::Block>& blocks) {
  return stop_named(reason,
                    {{"stop", model::Stop::stop},
                     {"length", model::Stop::length},
                     {"toolUse", model::Stop::tool_use},
                     {"error", model::Stop::error},
                     {"aborted", model::Stop::aborted},
                     {"pending", model::Stop::interrupted},
                     {"deferred", model::Stop::interrupted}},
                    stop_by_calls(blocks));
}

std::string pi_time(const Json& json) {
  if (std::string time = time_from(at(json, "timestamp")); !time.empty()) return time;
  return time_from(at(at(json, "message"), "timestamp"));
}

// Of an entry, wherever it hangs: a window begins with copies that have lost their parents.
std::uint64_t pi_content_hash(const Json& json) {
  Json content = json;
  content.erase("parentId");
  return std::hash<std::string>()(dump(content));
}

// The id in the name of a session's file: `<time>_<id>.jsonl`, or `<id>.jsonl`.
std::string pi_id_in_name(std::string_view path) {
  path.remove_prefix(path.find_last_of("/\\") + 1);  // npos + 1 is 0
  for (const std::string_view end : {".zst", ".jsonl"})
    if (path.ends_with(end)) path.remove_suffix(end.size());
  const std::size_t behind_time = path.find('_');
  return std::string(behind_time == std::string_view::npos ? path : path.substr(behind_time + 1));
}

// For a file whose first line is damaged.
bool is_pi_entry(const Json& json) {
  return has_word(
             "message model_change thinking_level_change usage compaction context_edit "
             "branch_summary custom custom_message label session_info",
             string_at(json, "type")) &&
         json.contains("parentId") && at(json, "id").is_string() &&
         at(json, "timestamp").is_string();
}

}  // namespace

std::optional<PiHeader> pi_header(std::string_view line) {
  std::optional<PiHeader> found;
  each_object(line, [&](const ForeignRecord& record) {
    const Json& json = record.json;
    const bool ours = at(json, "version").is_number() || at(json, "cwd").is_string();
    const std::string id = string_at(json, "id");
    if (found || string_at(json, "type") != "session" || id.empty() || !ours) return;
    const std::string from = string_at(json, "parentSession", string_at(json, "branchedFrom"));
    found = PiHeader{.session = {.id = id,
                                 .cwd = string_at(json, "cwd"),
                                 .created_at = pi_time(json),
                                 .parent = pi_id_in_name(from)},
                     .provider = string_at(json, "provider"),
                     .model = string_at(json, "modelId"),
                     .thinking = string_at(json, "thinkingLevel")};
  });
  return found;
}

namespace {

class PiLines {
 public:
  // `session` is the id it was begun with. All must outlive this.
  PiLines(std::string_view format, std::string_view session, Receiver& receiver)
      : format_(format), session_(session), receiver_(receiver) {}

  // From here on come the lines of that window.
  void begin_window(const std::string& window, const std::string& before) {
    previous_ = before_window_ = before.empty() ? nullptr : found_in(ends_, before);
    window_ = window;
    ++windows_;
    lines_ = 0;
  }

  // What version 1 says there.
  void begin(const PiHeader& header) {
    provider_ = header.provider;
    model_ = header.model;
    const std::string& time = header.session.created_at;
    if (!model_.empty())
      receiver_.add({.id = "header/model", .time = time, .content = model_change()});
    if (!header.thinking.empty())
      receiver_.add(
          {.id = "header/thinking", .time = time, .content = thinking_change(header.thinking)});
  }

  // A line, or several that were glued together. Nothing of it may be readable, which is reported
  // unless more of it may come.
  void add(std::string_view text, bool unfinished = false) {
    const bool read = each_object(text, [&](const ForeignRecord& record) {
      const Json& json = record.json;
      Line line{json, record.text, string_at(json, "type"), string_at(json, "id"), pi_time(json)};
      if (line.id.empty()) line.id = "line-" + std::to_string(lines_);
      ++lines_;
      if (line.type != "session") add_entry(std::move(line));
    });
    if (!read && !unfinished) receiver_.lose("damaged lines");
  }

  // The head of the session at the end of that window, or of the last one if there is none of that
  // name; empty: there is no entry yet.
  std::string leaf_of(const std::string& window) const {
    const Node* leaf = found_in(ends_, window);
    if (leaf == nullptr) leaf = last_;
    return leaf == nullptr ? std::string{} : leaf->anchor;
  }

 private:
  struct Node {
    std::string id{};              // as it was added
    const Node* parent = nullptr;  // the entry it names, whatever that is
    std::string anchor{};  // what its children follow: the nearest message or summary, if any
    bool given = false;    // it is such a one itself
    std::size_t window = 0;
    std::size_t content = 0;  // a hash of it, to tell a copy from another entry
    std::size_t number = 0;   // parents have smaller ones
  };
  // One entry, parsed.
  struct Line {
    const Json& json;
    std::string_view text{};
    std::string type{};
    std::string id{};  // unique in the session
    std::string time{};
  };

  Node* find(const std::string& id) const {
    Node* const own = windows_ > 1 ? found_in(places_, window_ + "/" + id) : nullptr;
    return own != nullptr ? own : found_in(places_, id);
  }

  // pi names the entry before; version 1 names none. OpenClaw may name the session, or a call.
  const Node* parent_of(const Line& line) const {
    const Json& named = at(line.json, "parentId");
    if (named.is_null() && line.json.contains("parentId")) return before_window_;
    if (!named.is_string()) return previous_;
    const std::string& id = named.get_ref<const std::string&>();
    if (id == session_ || (!window_.empty() && id == window_)) return before_window_;
    const Node* parent = find(id);
    return parent != nullptr ? parent : previous_;
  }

  void add_entry(Line line) {
    const std::size_t content = windows_ > 0 ? pi_content_hash(line.json) : 0;
    const Node* parent = parent_of(line);
    if (Node* same = find(line.id); same != nullptr) {
      if (same->window == windows_)
        return receiver_.lose("entries with an id that was used before");
      if (same->content == content) return continue_from(same);
      line.id = window_ + "/" + line.id;
      if (places_.contains(line.id))
        return receiver_.lose("entries with an id that was used before");
    }
    last_ = &nodes_.emplace_back(Node{.id = line.id,
                                      .parent = parent,
                                      .anchor = parent == nullptr ? std::string{} : parent->anchor,
                                      .window = windows_,
                                      .content = content,
                                      .number = nodes_.size()});
    places_.emplace(line.id, last_);
    add_content(line);
    continue_from(last_);
  }

  void continue_from(Node* node) {
    previous_ = last_ = node;
    if (windows_ > 0) ends_[window_] = node;
  }

  // A message or a summary becomes what later entries follow. `more`: something of it has no place
  // in the content.
  void give(const Line& line, ForeignContent content, bool more = false) {
    const bool followed = has_children(content);
    receiver_.add({.id = line.id,
                   .parent = last_->anchor,
                   .time = line.time,
                   .content = std::move(content),
                   .raw = raw_if(more, line.text)});
    if (!followed) return;
    last_->anchor = line.id;
    last_->given = true;
  }

  void add_content(const Line& line) {
    const Json& json = line.json;
    const std::string& type = line.type;
    if (type == "message") return add_message(line, at(json, "message"));
    // What an extension says to the model, which takes it for the user's words.
    if (type == "custom_message") return add_prompt(line, json);
    if (type == "compaction") return add_compaction(line);
    if (type == "branch_summary") return add_branch_summary(line);
    if (type == "context_edit") return add_edit(line);
    if (type == "label") return add_label(line);
    if (type == "usage") return add_usage(line);
    if (type == "session_info") return;  // the title, which was looked for before
    if (type == "model_change") {
      provider_ = string_at(json, "provider");
      model_ = string_at(json, "modelId");
      return give(line, model_change());
    }
    if (type == "thinking_level_change")
      return give(line, thinking_change(string_at(json, "thinkingLevel")));
    receiver_.lose(type == "custom" ? "data of extensions" : "lines of unknown kinds");
  }

  void add_message(const Line& line, const Json& message) {
    const std::string role = string_at(message, "role");
    if (role == "user" || role == "custom" || role == "hookMessage")
      add_prompt(line, message);
    else if (role == "assistant")
      add_answer(line, message);
    else if (role == "toolResult")
      add_result(line, message);
    else if (role == "bashExecution")
      add_command(line, message);
    else if (role == "system")
      add_instructions(line, message);
    else
      receiver_.lose("messages of unknown kinds");
  }

  // Of the user, or of an extension of pi in the user's place.
  void add_prompt(const Line& line, const Json& message) {
    PiBlocks content(at(message, "content"), receiver_);
    if (content.blocks.empty()) return;
    give(line, model::Message{.content = std::move(content.blocks)},
         content.more || pi_has_more(message, {"details", "customType"}));
  }

  void add_answer(const Line& line, const Json& message) {
    PiBlocks content(at(message, "content"), receiver_);
    provider_ = string_at(message, "provider");
    model_ = string_at(message, "model");
    model::Message answer{.role = model::Role::assistant,
                          .provider = provider_,
                          .model = model_,
                          .stop = pi_stop(string_at(message, "stopReason"), content.blocks),
                          .error = string_at(message, "errorMessage"),
                          .usage = pi_usage(at(message, "usage")),
                          .duration_ms = count_at(message, "durationMs")};
    answer.content = std::move(content.blocks);
    give(line, std::move(answer),
         content.more || pi_has_more(message, {"diagnostics", "deferred"}));
  }

  void add_result(const Line& line, const Json& message) {
    PiBlocks content(at(message, "content"), receiver_);
    model::Message answer = result_message({.tool_use_id = string_at(message, "toolCallId"),
                                            .content = as_result(std::move(content.blocks)),
                                            .is_error = bool_at(message, "isError")});
    answer.usage = pi_usage(at(message, "usage"));
    answer.duration_ms = count_at(message, "durationMs");
    give(line, std::move(answer), content.more || pi_has_more(message, {"details", "nestedCalls"}));
  }

  void add_command(const Line& line, const Json& message) {
    const std::string text = ran_command(string_at(message, "command"),
                                         string_at(message, "output"), at(message, "exitCode"));
    const bool more = pi_has_more(message, {"fullOutputPath"});
    if (bool_at(message, "excludeFromContext"))
      give(line, ForeignContext{"command", text}, more);
    else
      give(line, model::user_message(text), more);
  }

  void add_instructions(const Line& line, const Json& message) {
    std::string text = joined_texts(at(message, "content"), "\n\n");
    if (const Json& sections = at(message, "sections"); sections.is_object())
      for (const auto& [name, section] : sections.items())
        if (section.is_string())
          text += (text.empty() ? "" : "\n\n") + section.get_ref<const std::string&>();
    give(line, ForeignContext{"instructions", std::move(text)}, true);
  }

  void add_compaction(const Line& line) {
    const Json& json = line.json;
    std::string kept = string_at(json, "firstKeptEntryId");
    if (const Json& index = at(json, "firstKeptEntryIndex"); kept.empty() && index.is_number())
      kept = "line-" + std::to_string(int_at(json, "firstKeptEntryIndex"));
    const Json& details = at(json, "details");
    model::payload::CompactionSummary summary{
        .summary = string_at(json, "summary"),
        .first_kept = first_kept(kept),
        .tokens_before = count_at(json, "tokensBefore"),
        .files_read = strings_in(at(details, "readFiles")),
        .files_changed = strings_in(at(details, "modifiedFiles")),
        .usage = pi_usage(at(json, "usage"))};
    if (summary.usage) {
      summary.provider = provider_;
      summary.model = model_;
    }
    give(line, model::Payload(std::move(summary)), !at(json, "systemMessage").is_null());
  }

  void add_branch_summary(const Line& line) {
    const Node* from = find(string_at(line.json, "fromId"));
    const bool known = from != nullptr && !from->anchor.empty();
    give(line,
         model::Payload(
             model::payload::BranchSummary{.source_session = session_id(format_, session_),
                                           .source_entry = known ? our_id(from->anchor) : Id{},
                                           .summary = string_at(line.json, "summary")}),
         !at(line.json, "details").is_null());
    // There is no place for what it cost in the summary, so something follows it that says nothing.
    Line usage = line;
    usage.id += "/usage";
    add_usage(usage);
  }

  // Tokens that were paid for without an answer: an answer without words, which is never sent.
  void add_usage(const Line& line) {
    const std::optional<model::Usage> usage = pi_usage(at(line.json, "usage"));
    if (!usage) return;
    give(line,
         model::Message{.role = model::Role::assistant,
                        .provider = string_at(line.json, "provider", provider_),
                        .model = string_at(line.json, "model", model_),
                        .stop = model::Stop::stop,
                        .usage = usage},
         line.type == "usage");
  }

  void add_edit(const Line& line) {
    const Json& replacement = at(line.json, "replacement");
    if (!replacement.is_null()) {
      receiver_.lose("texts that replaced others for the model");
      return give(line,
                  ForeignContext{"context edit", joined_texts(at(replacement, "content"), "\n\n")},
                  true);
    }
    const Node* target = target_of(line);
    if (target == nullptr) return receiver_.lose("edits of entries that are not imported");
    give(line, model::Payload(model::payload::Redaction{.target = our_id(target->id),
                                                        .reason = "left out of the context"}));
  }

  void add_label(const Line& line) {
    const Node* target = target_of(line);
    if (target == nullptr) return receiver_.lose("labels of entries that are not imported");
    give(line, model::Payload(model::payload::Label{.entry = our_id(target->id),
                                                    .text = string_at(line.json, "label")}));
  }

  const Node* target_of(const Line& line) const {
    const Node* node = find(string_at(line.json, "targetId"));
    return node != nullptr && node->given ? node : nullptr;
  }

  // What is named may be a change of model, say; then the first message behind it on the path.
  std::optional<Id> first_kept(const std::string& named) {
    const Node* kept = find(named);
    const Node* first = nullptr;
    if (kept == nullptr || kept == last_) return std::nullopt;
    for (const Node* node = last_;
         node != nullptr && node->number >= kept->number && steps_left_ > 0;
         node = node->parent, --steps_left_) {
      if (node->given) first = node;
      if (node == kept) return first == nullptr ? std::nullopt : std::optional(our_id(first->id));
    }
    return std::nullopt;  // it is not on the path: nothing is kept
  }

  model::Payload model_change() const {
    return model::payload::ModelChange{.provider = provider_, .model = model_};
  }
  static model::Payload thinking_change(const std::string& level) {
    return model::payload::ThinkingLevelChange{.level = level};
  }
  Id our_id(const std::string& id) const { return entry_id(format_, session_, id); }

  std::string_view format_, session_;
  Receiver& receiver_;
  std::deque<Node> nodes_{};
  std::unordered_map<std::string, Node*> places_{};
  Node* last_ = nullptr;                 // the entry at hand, or the one before
  const Node* before_window_ = nullptr;  // what roots of this window follow
  const Node* previous_ = nullptr;       // the entry before in this window
  std::string window_{};
  std::unordered_map<std::string, const Node*> ends_{};  // of windows: their last entries
  std::size_t windows_ = 0;
  std::size_t lines_ = 0;  // of this window, counted as version 1 does
  std::string provider_{}, model_{};
  std::uint64_t steps_left_ = 50'000'000;  // along paths, to find what compactions keep
};

}  // namespace

bool has_pi_lines(const SourceFile& file) {
  // What OpenClaw has put aside, or keeps to go back to, was a session once.
  for (const char* aside : {".jsonl.reset.", ".jsonl.deleted.", ".checkpoint."})
    if (file.name().find(aside) != std::string::npos) return false;
  const std::string head = json_head(file);
  std::string_view rest = head;
  if (!rest.starts_with('{')) return false;
  constexpr int most_lines = 8;  // that may be damaged
  for (int i = 0; i < most_lines && !rest.empty(); ++i) {
    const std::size_t end = rest.find('\n');
    std::string_view line = trimmed(rest.substr(0, end), "\r");
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (pi_header(line)) return true;
    std::optional<bool> entry;
    each_object(line, [&](const ForeignRecord& record) {
      entry = entry.value_or(false) || is_pi_entry(record.json);
    });
    if (entry) return *entry;
  }
  return false;
}

ForeignSession pi_session_in(const SourceFile& file) {
  std::optional<PiHeader> header;
  std::string title;
  std::size_t lines = 0;
  file.lines([&](const SourceFile::Line& line) {
    if (++lines == 1) header = pi_header(line.text);
    if (line.text.find("\"session_info\"") == std::string_view::npos) return true;
    each_object(line.text, [&](const ForeignRecord& record) {
      if (string_at(record.json, "type") == "session_info") title = string_at(record.json, "name");
    });
    return true;
  });
  ForeignSession session =
      header ? header->session : ForeignSession{.id = pi_id_in_name(file.name())};
  session.title = std::move(title);
  return session;
}

void read_pi_lines(const SourceFile& file, const ReadOptions& options, std::string_view format,
                   const ForeignSession& session, Receiver& receiver) {
  if (!receiver.begin(session)) return;
  PiLines lines(format, session.id, receiver);
  bool first = true;
  const std::size_t too_long = file.lines([&](const SourceFile::Line& line) {
    if (std::exchange(first, false))
      if (const auto header = pi_header(line.text)) lines.begin(*header);
    lines.add(line.text, options.growing && !line.ended);
    return true;
  });
  for (std::size_t i = 0; i < too_long; ++i) receiver.lose("lines that are too long");
  receiver.end(lines.leaf_of({}));
}

void give_pi_windows(const std::vector<PiWindow>& windows, const std::string& current,
                     std::string_view format, std::string_view session, Receiver& receiver) {
  PiLines lines(format, session, receiver);
  for (const PiWindow& window : windows) {
    lines.begin_window(window.id, window.before);
    window.each_line([&](std::string_view line) {
      lines.add(line);
      return true;
    });
  }
  receiver.end(lines.leaf_of(current));
}

void read_pi(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  read_pi_lines(file, options, "pi", pi_session_in(file), receiver);
}

}  // namespace skein::importers
