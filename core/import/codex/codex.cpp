// Codex's sessions: ~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl.

#include "core/import/codex/codex_records.h"
#include "core/text/text.h"

namespace skein::importers {

namespace {

namespace fs = std::filesystem;

constexpr ContextBeginning codex_beginnings[] = {
    {"<environment_context>", "environment"},
    {"<user_instructions>", "instructions"},
    {"# AGENTS.md instructions", "instructions"},
    {"<INSTRUCTIONS>", "instructions"},
    {"<permissions instructions>", "instructions"},
    {"<collaboration_mode>", "instructions"},
    {"<skills_instructions>", "instructions"},
    {"<skill>", "skill"},
    {"<turn_aborted>", "interruption"},
    {"<user_shell_command>", "shell command"},
    {"<subagent_notification>", "message of another agent"},
    {"<hook_prompt", "hook"},
    {"<goal_context>", "goal"},
};

// "Exit code: 1" or "Process exited with code 1", in the lines before the output itself.
bool codex_says_failed(std::string_view text) {
  const std::size_t output = text.substr(0, 400).find("Output:");
  const std::string_view head = text.substr(0, output == std::string_view::npos ? 400 : output);
  return says_failed(head, {"Exit code: ", "exited with code "});
}

std::string joined_thoughts(const Json& item) {
  std::string out = joined_texts(at(item, "summary"), "\n\n");
  return out.empty() ? joined_texts(at(item, "content"), "\n\n") : out;
}

// The kind of a text that the user did not type; empty: the user typed it.
std::string codex_context(const Json& message, std::string_view text) {
  // Newer versions say of each part whose it is.
  const auto& kinds =
      list_at(at(message, "internal_chat_message_metadata_passthrough"), "content_item_kinds");
  if (!kinds.empty() && kinds.front().is_string()) {
    const auto& kind = kinds.front().get_ref<const std::string&>();
    if (kind.starts_with("user.")) return {};
    if (kind.starts_with("environments.")) return "environment";
    if (kind != "unknown") return kind;
  }
  return std::string(context_label(text, codex_beginnings));
}

// The texts and images of a message or an output. Images are kept by `receiver`.
std::vector<model::Block> codex_content(const Json& content, Receiver& receiver) {
  std::vector<model::Block> out;
  const auto add = [&](const Json& part) {
    add_text(out, part.is_string() ? part.get<std::string>() : string_at(part, "text"));
    const std::string url = string_at(part, "image_url");
    if (string_at(part, "type") != "input_image" || url.empty()) return;
    if (!add_image(out, kept_image_at(receiver, url)))
      receiver.lose("images and documents that are stored elsewhere");
  };
  if (content.is_array())
    for (const Json& part : content) add(part);
  else
    add(content);
  return out;
}

// Adds what the model said, thought or called. True: something of it is sealed, and not added.
bool add_codex_blocks(std::vector<model::Block>& out, const Json& item, std::string_view call,
                      Receiver& receiver) {
  const std::string type = string_at(item, "type", "message");
  if (type == "reasoning") {
    add_thinking(out, joined_thoughts(item));
    return !string_at(item, "encrypted_content").empty();
  }
  if (type == "message") {
    std::ranges::move(codex_content(at(item, "content"), receiver), std::back_inserter(out));
    return false;
  }
  if (type == "agent_message") {  // the event
    add_text(out, string_at(item, "message"));
    return false;
  }
  std::string name = string_at(item, "name");
  if (name.empty()) name = type.substr(0, type.rfind("_call"));
  JsonText text = call_input(first_of(item, {"arguments", "input", "action"}));
  if (type == "image_generation_call") text = dump({{"prompt", string_at(item, "revised_prompt")}});
  out.emplace_back(model::ToolUse{std::string(call), std::move(name), std::move(text)});
  return !at(item, "encrypted_function_args").is_null();
}

// The answer to a call. `call` is its id.
model::ToolResult codex_result(const Json& item, std::string call, Receiver& receiver) {
  model::ToolResult out{.tool_use_id = std::move(call)};
  const Json* output = &first_of(item, {"output", "tools"});
  std::optional<Json> packed;
  if (output->is_string()) {
    const auto& text = output->get_ref<const std::string&>();
    out.is_error = codex_says_failed(text);
    // {"output": "…", "metadata": {"exit_code": 1}}, as text.
    if (text.starts_with('{')) packed = read_json(text);
    if (packed && at(*packed, "metadata").is_object() && at(*packed, "output").is_string()) {
      out.is_error = int_at(at(*packed, "metadata"), "exit_code") != 0;
      output = &at(*packed, "output");
    }
  }
  if (output->is_object() && !bool_at(*output, "success", true)) out.is_error = true;
  if (output->is_object() && !at(*output, "content").is_null()) output = &at(*output, "content");
  out.content = as_result(codex_content(*output, receiver));
  if (out.content.empty())
    out.content.emplace_back(model::Text{output->is_null() || output->is_string() || output->empty()
                                             ? std::string{}
                                             : dump(*output)});
  return out;
}

// To a call that the service carried out: what is known of it.
model::ToolResult codex_search_result(const Json& item, std::string call, Receiver& receiver) {
  model::ToolResult out{.tool_use_id = std::move(call)};
  if (string_at(item, "type") == "image_generation_call")
    add_image(out.content, kept_image(receiver, "image/png", string_at(item, "result")));
  if (out.content.empty()) out.content.emplace_back(model::Text{"[not recorded]"});
  out.is_error = string_at(item, "status") == "failed";
  return out;
}

model::Usage codex_usage(const Json& usage) {
  const std::int64_t read = count_at(usage, "cached_input_tokens");
  const std::int64_t written = count_at(usage, "cache_write_input_tokens");
  return {.input = std::max<std::int64_t>(0, count_at(usage, "input_tokens") - read - written),
          .output = count_at(usage, "output_tokens"),
          .cache_read = read,
          .cache_write = written,
          .reasoning = std::min(count_at(usage, "reasoning_output_tokens"),
                                count_at(usage, "output_tokens"))};
}

// The texts of a history that replaces another, and of the message that came with it.
std::string codex_summary(const Json& compacted) {
  const std::string message = string_at(compacted, "message");
  std::string out;
  for (const Json& item : list_at(compacted, "replacement_history")) {
    const std::string role = string_at(item, "role");
    if (role != "user" && role != "assistant") continue;
    const std::string text = joined_texts(at(item, "content"), "\n\n");
    if (text.empty() || !codex_context(item, text).empty()) continue;
    out += (out.empty() ? "" : "\n\n") + text;
  }
  if (out.find(message) == std::string::npos) out += (out.empty() ? "" : "\n\n") + message;
  return out;
}

class CodexEntries {
 public:
  // All of them must outlive this. `provider`: whose models answered.
  CodexEntries(const CodexHistory& history, const ReadOptions& options, Receiver& receiver,
               std::string provider)
      : units_(history.units),
        options_(options),
        receiver_(receiver),
        provider_(std::move(provider)),
        chain_(receiver) {}

  void give() {
    for (const CodexUnit& unit : units_) {
      // Results follow their calls at once, whatever was written between.
      const bool given = unit.kind == CodexKind::output && unit.partner != nullptr &&
                         unit.partner->partner == &unit;
      if (!given) give_unit(unit);
      if (unit.kind == CodexKind::answer && unit.partner != nullptr) give_unit(*unit.partner);
    }
    receiver_.end(chain_.last());
  }

 private:
  void give_unit(const CodexUnit& unit) {
    if (unit.unfinished && options_.growing) return;
    const CodexRecord& first = *unit.records.front();
    switch (unit.kind) {
      case CodexKind::prompt: give_prompt(unit, first.said); break;
      case CodexKind::context: give_context(unit, first.said); break;
      case CodexKind::answer: give_answer(unit); break;
      case CodexKind::output: give_results(unit); break;
      case CodexKind::compaction: give_compaction(unit, first); break;
      case CodexKind::rollback: roll_back(int_at(first.said, "num_turns")); break;
      case CodexKind::failure: give_failure(unit, first); break;
      default: break;  // none is a unit
    }
  }

  void give_prompt(const CodexUnit& unit, const Json& said) {
    std::vector<model::Block> blocks =
        codex_content(first_of(said, {"content", "message"}), receiver_);
    if (blocks.empty()) return;
    const std::string text = as_text(blocks);
    if (const std::string label = codex_context(said, text); !label.empty())
      return add(unit, ForeignContext{label, text});
    before_.push_back(chain_.last());
    add(unit, model::Message{.content = std::move(blocks)});
  }

  void give_context(const CodexUnit& unit, const Json& said) {
    const std::string text = as_text(codex_content(at(said, "content"), receiver_));
    if (text.empty()) return;
    std::string label = string_at(said, "type") == "agent_message" ? "message of another agent"
                                                                   : codex_context(said, text);
    if (label.empty()) label = "instructions";
    add(unit, ForeignContext{std::move(label), text});
  }

  void give_answer(const CodexUnit& unit) {
    model::Message message = answer_of(unit);
    model::Message found{.role = model::Role::tool};  // by the service itself
    std::string found_id;
    JsonText raw;
    for (const CodexRecord* record : unit.records) {
      const std::string call = record->kind == CodexKind::answer ? std::string{} : call_id(*record);
      if (add_codex_blocks(message.content, record->said, call, receiver_))
        add_record(raw, *record);
      if (record->kind != CodexKind::search) continue;
      found.content.emplace_back(codex_search_result(record->said, call, receiver_));
      found_id = record->id + "/results";
    }
    if (message.content.empty() && raw.empty()) return;
    if (unit.usage != nullptr) {
      const Json& last = at(at(unit.usage->said, "info"), "last_token_usage");
      message.usage = codex_usage(last.is_object() ? last : at(unit.usage->said, "usage"));
    }
    message.stop = end_of(message.content);
    add(unit, std::move(message), std::move(raw));
    if (!found.content.empty())
      chain_.append(found_id, unit.records.front()->time, std::move(found));
  }

  void give_results(const CodexUnit& unit) {
    model::Message message{.role = model::Role::tool};
    std::unordered_set<std::string> answered;
    for (const CodexRecord* record : unit.records) {
      if (record->call.empty() && unit.partner == nullptr) {
        receiver_.lose("tool results without a call");
        continue;
      }
      std::string call = record->call.empty() ? open_call_ : record->call;
      // The second call of that id is answered second.
      if (const auto other = renamed_.find(call);
          other != renamed_.end() && answered.contains(call))
        call = other->second;
      if (call.empty() || !answered.insert(call).second) {
        receiver_.lose("repeated tool results");
        continue;
      }
      message.content.emplace_back(codex_result(record->said, call, receiver_));
    }
    if (!message.content.empty()) add(unit, std::move(message));
  }

  void give_failure(const CodexUnit& unit, const CodexRecord& record) {
    model::Message message = answer_of(unit);
    message.stop = model::Stop::error;
    message.error = string_at(record.said, "message");
    if (!message.error.empty()) add(unit, std::move(message));
  }

  void give_compaction(const CodexUnit& unit, const CodexRecord& record) {
    JsonText raw;
    if (at(record.said, "replacement_history").is_array()) add_record(raw, record);
    add(unit,
        model::Payload(model::payload::CompactionSummary{.summary = codex_summary(record.said)}),
        std::move(raw));
  }

  void roll_back(std::int64_t turns) {
    for (; turns > 0 && !before_.empty(); --turns) {
      chain_.go_back_to(before_.back());
      before_.pop_back();
    }
  }

  model::Message answer_of(const CodexUnit& unit) const {
    return {.role = model::Role::assistant,
            .provider = provider_,
            .model = unit.records.front()->model};
  }

  void add(const CodexUnit& unit, ForeignContent content, JsonText raw = {}) {
    std::string id = unit.records.front()->id;
    if (unit.unfinished) id += "+" + std::to_string(unit.records.size());
    chain_.append(std::move(id), unit.records.front()->time, std::move(content), std::move(raw));
  }

  static void add_record(JsonText& raw, const CodexRecord& record) {
    const std::string text = record.file->read(record.offset, record.size);
    // Images are kept once.
    if (text.find("data:image/") == std::string::npos) add_raw(raw, text);
  }

  std::string call_id(const CodexRecord& record) {
    std::string id = record.call.empty() ? "call_" + record.id : record.call;
    if (calls_.insert(id).second) return open_call_ = id;
    std::string other;
    for (std::size_t number = 2; !calls_.insert(other = id + "#" + std::to_string(number)).second;)
      ++number;
    renamed_[id] = other;
    return open_call_ = other;
  }

  const std::deque<CodexUnit>& units_;
  const ReadOptions& options_;
  Receiver& receiver_;
  const std::string provider_;
  EntryChain chain_;
  std::vector<std::string> before_{};        // each prompt of the path, the entry it follows
  std::unordered_set<std::string> calls_{};  // that were made
  std::unordered_map<std::string, std::string> renamed_{};  // calls whose id another one had
  std::string open_call_{};                                 // the one made last
};

std::string rollout_name(std::string name) {
  for (const std::string_view ending : {".zst", ".jsonl"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

// Where rollouts may lie: the file's own folder, and if that is the day's of a home of Codex, all.
std::vector<fs::path> search_places(const SourceFile& file) {
  const fs::path folder = file.folder();
  std::vector<fs::path> out{folder};
  fs::path root = folder;
  for (int up = 0; up < 4 && root.has_relative_path(); ++up, root = root.parent_path())
    if (root.filename() == "sessions" || root.filename() == "archived_sessions") {
      out.push_back(root.parent_path() / "sessions");
      out.push_back(root.parent_path() / "archived_sessions");
      break;
    }
  return out;
}

// The rollout of that id, by its name.
std::optional<SourceFile> find_rollout(const std::vector<fs::path>& places, const std::string& id) {
  constexpr int most_files = 500'000;
  int seen = 0;
  for (const fs::path& place : places) {
    std::error_code failed;
    fs::recursive_directory_iterator at(place, fs::directory_options::skip_permission_denied,
                                        failed);
    for (; !failed && at != fs::recursive_directory_iterator() && seen < most_files;
         at.increment(failed), ++seen) {
      if (at.depth() > 3 || &place == &places.front()) at.disable_recursion_pending();
      const std::string name = rollout_name(at->path().filename().string());
      if (!name.starts_with("rollout-") || !(name.ends_with("-" + id) || name.ends_with("_" + id)))
        continue;
      std::error_code unknown;
      if (at->symlink_status(unknown).type() != fs::file_type::regular) continue;
      auto file = SourceFile::open(at->path().string());
      if (auto* const source = std::get_if<SourceFile>(&file)) return std::move(*source);
    }
  }
  return std::nullopt;
}

// What the first record of a file says of it.
struct CodexHead {
  ForeignSession session{};
  std::string provider{};
  std::string base{};  // the rollout that holds what came before; empty: none does
  std::uint64_t base_end = 0;
};

CodexHead codex_head(const SourceFile& file) {
  CodexHead out;
  const std::vector<Json> first = first_records(file, 1);
  if (first.empty()) return out;
  const Json& payload = at(first[0], "payload");
  const Json& facts = payload.is_object() ? payload : first[0];
  const Json& spawn = at(at(at(facts, "source"), "subagent"), "thread_spawn");
  ForeignSession& session = out.session;
  session = {.id = id_at(facts, "id"),
             .cwd = string_at(facts, "cwd"),
             .created_at = time_from(at(facts, "timestamp")),
             .parent = id_at(spawn, "parent_thread_id")};
  if (session.parent.empty()) session.parent = id_at(facts, "parent_thread_id");
  session.spawned = !session.parent.empty();
  if (session.parent.empty()) session.parent = id_at(facts, "forked_from_id");
  out.provider = string_at(facts, "model_provider");
  const Json& base = at(facts, "history_base");
  out.base = id_at(base, "thread_id");
  out.base_end =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, int_at(base, "end_byte_offset")));
  return out;
}

struct CodexFiles {
  std::deque<SourceFile> others{};  // do not move
  std::vector<CodexFile> files{};   // in the order in which they continue each other
  bool whole = true;
};

// The file, behind what it continues.
CodexFiles history_of(const SourceFile& file, CodexHead head) {
  constexpr std::size_t most = 64;
  CodexFiles out{.files = {{&file, file.size()}}};
  const std::vector<fs::path> places = search_places(file);
  std::set<std::string> seen;
  while (!head.base.empty()) {
    std::optional<SourceFile> found;
    if (seen.insert(head.base).second && seen.size() <= most)
      found = find_rollout(places, head.base);
    out.whole = found.has_value();
    if (!found) break;
    out.others.push_back(std::move(*found));
    const SourceFile& before = out.others.back();
    out.files.insert(out.files.begin(), {&before, std::min(before.size(), head.base_end)});
    head = codex_head(before);
  }
  return out;
}

// The name a session was given; the last one counts.
std::string thread_name(const SourceFile& file, const std::string& session) {
  fs::path folder = file.folder();
  for (int up = 0; up < 5 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    const auto names = read_plain_file(folder.string(), "session_index.jsonl");
    if (!names) continue;
    std::string out;
    for (const std::string_view line : split(*names, '\n')) {
      if (session.empty() || line.find(session) == std::string_view::npos) continue;
      const auto row = read_json(line);
      if (row && string_at(*row, "id") == session) out = string_at(*row, "thread_name", out);
    }
    return out;
  }
  return {};
}

}  // namespace

bool is_codex(const SourceFile& file) {
  if (!json_head(file).starts_with('{')) return false;
  const std::vector<Json> first = first_records(file, 1);
  if (first.empty()) return false;
  const std::string type = string_at(first[0], "type");
  if (has_word("session_meta response_item event_msg turn_context", type))
    return at(first[0], "payload").is_object();
  // The oldest ones: facts of the session, then bare items.
  return type.empty() && !first[0].contains("payload") && first[0].contains("timestamp") &&
         first[0].contains("id") &&
         (first[0].contains("instructions") || first[0].contains("git")) &&
         file.name().starts_with("rollout-");
}

void read_codex(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const CodexHead head = codex_head(file);
  ForeignSession session = head.session;
  session.title = thread_name(file, session.id);
  if (session.parent == session.id) session.parent.clear();
  if (session.id.empty()) session.id = rollout_name(file.name());
  const CodexFiles files = history_of(file, head);
  const CodexHistory history = read_codex_records(files.files, options, receiver);
  if (history.units.empty() || !receiver.begin(session)) return;
  if (!files.whole) receiver.lose("messages before a fork, in a missing file");
  CodexEntries(history, options, receiver, head.provider.empty() ? "openai" : head.provider).give();
}

}  // namespace skein::importers
