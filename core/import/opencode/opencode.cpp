#include "core/import/opencode/opencode.h"

#include "core/import/source/database.h"
#include "core/text/text.h"

namespace skein::importers {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_json_bytes = std::uint64_t{64} << 20;
constexpr std::string_view opencode_name = "opencode";

// One call of the model in a message, which may have several.
struct OpencodeStep {
  std::vector<model::Block> said{};
  std::vector<model::Block> results{};
  std::optional<model::Usage> usage{};
  std::string reason{};   // why it ended, in opencode's words
  bool ended = false;     // it says so itself
  bool waiting = false;   // for a tool that has not answered
  Json sealed = nullptr;  // parts with something that has no place here
  std::string first{};    // id of its first part
  bool empty() const { return said.empty() && results.empty() && !ended; }
};

// What a provider wants back, in the words of several versions.
bool has_opencode_seal(const Json& part) {
  for (const char* name : {"metadata", "native", "providerState"})
    if (const Json& member = at(part, name); member.is_object() && !member.empty()) return true;
  return false;
}

// A command that failed is "completed" all the same.
bool opencode_failed(const Json& state) {
  const Json& exit = at(at(state, "metadata"), "exit");
  return string_at(state, "status") == "error" || (exit.is_number() && exit != 0);
}

// nullopt: there are none.
std::optional<model::Usage> opencode_usage(const Json& tokens) {
  if (!tokens.is_object()) return std::nullopt;
  const Json& cache = at(tokens, "cache");
  model::Usage usage{.input = count_at(tokens, "input"),
                     .output = count_at(tokens, "output"),
                     .cache_read = count_at(cache, "read"),
                     .cache_write = count_at(cache, "write"),
                     .reasoning = count_at(tokens, "reasoning")};
  // Some versions count reasoning in addition to the output; the total shows it.
  const std::int64_t total = count_at(tokens, "total");
  if (usage.reasoning > usage.output ||
      (usage.reasoning > 0 && total == whole_input(usage) + usage.output + usage.reasoning))
    usage.output += usage.reasoning;
  return usage;
}

std::string opencode_error(const Json& error) {
  const std::string words = string_at(at(error, "data"), "message");
  return words.empty() ? first_string(error, {"message", "name"}) : words;
}

// A file that the user attached, or that a tool gave: an image is kept, others are not taken over.
std::optional<model::Image> opencode_image(const Json& file, Receiver& receiver) {
  std::optional<model::Image> image = kept_image_at(receiver, first_string(file, {"url", "uri"}));
  if (!image) receiver.lose("attached files");
  return image;
}

// What a tool gave: a text in the first version, blocks in the second, a sentence if it failed.
std::vector<model::ResultBlock> opencode_output(const Json& state, Receiver& receiver) {
  std::vector<model::ResultBlock> out;
  add_text(out, string_at(state, "output"));
  for (const char* list : {"content", "attachments"})
    for (const Json& block : list_at(state, list)) {
      if (string_at(block, "type") == "text")
        add_text(out, string_at(block, "text"));
      else
        add_image(out, opencode_image(block, receiver));
    }
  const Json& error = at(state, "error");
  add_text(out, error.is_string() ? error.get<std::string>() : opencode_error(error));
  return out;
}

// A call and what came of it.
void add_opencode_call(OpencodeStep& step, const Json& part, Receiver& receiver) {
  const Json& state = at(part, "state");
  const std::string id = string_at(part, "callID"), status = string_at(state, "status");
  step.said.emplace_back(model::ToolUse{
      .id = id, .name = string_at(part, "tool"), .input = call_input(at(state, "input"))});
  if (status == "pending" || status == "running" || status == "streaming") {
    step.waiting = true;
    return;
  }
  for (const char* spilled : {"outputPath", "outputPaths"})
    if (!at(at(state, "metadata"), spilled).is_null())
      receiver.lose("ends of long outputs, stored in separate files");
  step.results.emplace_back(model::ToolResult{.tool_use_id = id,
                                              .content = opencode_output(state, receiver),
                                              .is_error = opencode_failed(state)});
}

void add_opencode_part(OpencodeStep& step, const Json& part, Receiver& receiver) {
  const std::string type = string_at(part, "type");
  // A list that begins with the first.
  if (has_word("text reasoning tool", type) && has_opencode_seal(part)) step.sealed.push_back(part);
  if (type == "text") {
    add_text(step.said, string_at(part, "text"));
  } else if (type == "reasoning") {
    add_thinking(step.said, string_at(part, "text"));
  } else if (type == "tool") {
    add_opencode_call(step, part, receiver);
  } else if (type == "file") {
    add_image(step.said, opencode_image(part, receiver));
  } else if (type == "patch" || type == "snapshot") {
    receiver.lose("file snapshots");
  } else if (type == "step-finish") {
    step.ended = true;
    step.usage = opencode_usage(at(part, "tokens"));
    step.reason = string_at(part, "reason");
  }
}

std::vector<OpencodeStep> opencode_steps(const std::vector<OpencodePart>& parts,
                                         Receiver& receiver) {
  std::vector<OpencodeStep> steps;
  for (const OpencodePart& part : parts) {
    if (steps.empty() || steps.back().ended) steps.emplace_back().first = part.id;
    add_opencode_part(steps.back(), part.data, receiver);
  }
  // What follows the end of the last step and says nothing, as a patch, is no step.
  std::erase_if(steps, [](const OpencodeStep& step) { return step.empty(); });
  return steps;
}

// `error` is that of a message: null if nothing went wrong.
model::Stop opencode_stop(const std::string& reason, const Json& error,
                          const std::vector<model::Block>& said) {
  if (error.is_object()) {
    const std::string name = string_at(error, "name", string_at(error, "type"));
    const bool stopped = name.find("Abort") != std::string::npos || name == "aborted";
    return stopped ? model::Stop::aborted : model::Stop::error;
  }
  return stop_named(reason,
                    {{"stop", model::Stop::stop},
                     {"length", model::Stop::length},
                     {"tool-calls", model::Stop::tool_use},
                     {"content-filter", model::Stop::refusal},
                     {"error", model::Stop::error}},
                    stop_by_calls(said));
}

// Who answered, or wrote a summary: in the message itself, or in its member `model`.
void name_opencode_model(const Json& data, auto& written) {
  const Json& chosen = at(data, "model");
  written.provider = string_at(data, "providerID", string_at(chosen, "providerID"));
  written.model = string_at(data, "modelID", string_at(chosen, "modelID"));
  if (written.model.empty()) written.model = string_at(chosen, "id");
}

void add_second_part(OpencodeMessage& message, Json data) {
  message.parts.push_back({"part-" + std::to_string(message.parts.size()), std::move(data)});
}

void add_text_part(OpencodeMessage& message, std::string text, bool synthetic = false) {
  add_second_part(message, {{"type", "text"}, {"text", std::move(text)}, {"synthetic", synthetic}});
}

// One call of the model: what it said and the tools it used, in one list.
void put_second_answer(OpencodeMessage& message, const Json& data) {
  for (Json part : list_at(data, "content")) {
    if (string_at(part, "type") == "tool") {
      part["callID"] = at(part, "id");
      part["tool"] = at(part, "name");
    }
    add_second_part(message, std::move(part));
  }
  if (at(at(data, "time"), "completed").is_number() || at(data, "error").is_object())
    add_second_part(
        message,
        {{"type", "step-finish"}, {"reason", at(data, "finish")}, {"tokens", at(data, "tokens")}});
}

// A compaction holds the end of the conversation that was kept as text.
void put_second_compaction(OpencodeMessage& message, const Json& data) {
  std::string summary = string_at(data, "summary");
  if (summary.empty() || string_at(data, "status", "completed") != "completed") return;
  if (const std::string recent = string_at(data, "recent"); !recent.empty())
    summary += "\n\n" + recent;
  add_text_part(message, std::move(summary));
}

class OpencodeEntries {
 public:
  OpencodeEntries(const ForeignSession& session, const Json& revert, const ReadOptions& options,
                  Receiver& receiver)
      : session_(session),
        options_(options),
        receiver_(receiver),
        chain_(receiver),
        revert_message_(string_at(revert, "messageID")),
        revert_part_(string_at(revert, "partID")) {}

  void give(const std::vector<OpencodeMessage>& messages) {
    for (const OpencodeMessage& message : messages) take(message, &message == &messages.back());
    receiver_.end(leaf_.value_or(chain_.last()));
  }

 private:
  void take(const OpencodeMessage& message, bool last) {
    const bool reverted = message.id == revert_message_ && !leaf_;
    const std::string role = string_at(message.data, "role");
    if (reverted && (revert_part_.empty() || role == "user")) leaf_ = chain_.last();
    starting_.push_back(message.id);
    time_ = time_from(Json(message.time));
    const Json& chosen = at(message.data, "model");
    if (role == "user")
      take_user(message);
    else if (role == "assistant")
      take_answer(message, last);
    else if (role == "model-switched")
      give(message.id,
           model::Payload(model::payload::ModelChange{.provider = string_at(chosen, "providerID"),
                                                      .model = string_at(chosen, "id")}));
    else
      receiver_.lose("messages of unknown kinds");
    if (reverted && !leaf_) leaf_ = chain_.last();
  }

  void give(const std::string& id, ForeignContent content, JsonText raw = {}) {
    if (id.empty() || chain_.has(id))
      return receiver_.lose("entries with an id that was used before");
    chain_.append(id, time_, std::move(content), std::move(raw));
    if (chain_.last() != id) return;  // others do not follow it
    for (std::string& message : std::exchange(starting_, {}))
      starts_.emplace(std::move(message), id);
  }

  void give_context(const std::string& id, std::string label, std::string text) {
    if (!text.empty()) give(id, ForeignContext{std::move(label), std::move(text)});
  }

  // What the user typed; what the program added; or a request to compact, which is not a prompt.
  void take_user(const OpencodeMessage& message) {
    model::Message prompt{.role = model::Role::user};
    give_context(message.id + "/system", "instructions", string_at(message.data, "system"));
    for (const OpencodePart& part : message.parts) {
      const std::string type = string_at(part.data, "type");
      std::string text = string_at(part.data, type == "subtask" ? "prompt" : "text");
      const std::string id = message.id + "/" + part.id;
      if (type == "compaction")
        tail_start_ = string_at(part.data, "tail_start_id");
      else if (type == "text" && bool_at(part.data, "synthetic"))
        give_context(id, "attachment", std::move(text));
      else if (type == "text" && bool_at(part.data, "ignored"))
        give_context(id, "note", std::move(text));
      else if (type == "text" || type == "subtask")
        add_text(prompt.content, std::move(text));
      else if (type == "file")
        add_image(prompt.content, opencode_image(part.data, receiver_));
    }
    // Of the oldest sessions parts were lost; how the message was summed up is what is left of it.
    if (message.parts.empty())
      add_text(prompt.content, string_at(at(message.data, "summary"), "body"));
    if (!prompt.content.empty()) give(message.id, std::move(prompt));
  }

  void take_answer(const OpencodeMessage& message, bool last) {
    std::vector<OpencodeStep> steps = opencode_steps(message.parts, receiver_);
    if (at(message.data, "summary") == true) return take_summary(message, steps);
    const Json& data = message.data;
    const bool unfinished = last && !at(at(data, "time"), "completed").is_number() &&
                            !at(data, "error").is_object() && !at(data, "finish").is_string();
    if (steps.empty() && !unfinished) steps.emplace_back();  // it failed before it said anything
    if (std::ranges::none_of(steps, [](const auto& step) { return step.usage.has_value(); }) &&
        !steps.empty())
      steps.back().usage = opencode_usage(at(message.data, "tokens"));
    take_steps(message, std::move(steps), unfinished);
  }

  void take_steps(const OpencodeMessage& message, std::vector<OpencodeStep> steps,
                  bool unfinished) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      OpencodeStep& step = steps[i];
      const bool at_end = i + 1 == steps.size();
      const bool open = unfinished && (at_end ? !step.ended || step.waiting : step.waiting);
      if (open && options_.growing) return;
      if (!revert_part_.empty() && step.first >= revert_part_ && message.id == revert_message_ &&
          !leaf_)
        leaf_ = chain_.last();
      std::string id = i == 0 ? message.id : message.id + "/" + std::to_string(i + 1);
      if (open) id += "+" + std::to_string(message.parts.size());
      const Json& error = at_end ? at(message.data, "error") : at(Json(), {});
      model::Message answer{.role = model::Role::assistant};
      name_opencode_model(message.data, answer);
      answer.stop =
          open ? model::Stop::interrupted
               : opencode_stop(step.reason.empty() && at_end ? string_at(message.data, "finish")
                                                             : step.reason,
                               error, step.said);
      answer.error = opencode_error(error);
      answer.usage = step.usage;
      answer.content = std::move(step.said);
      give(id, std::move(answer),
           step.sealed.is_null() ? JsonText{}
                                 : dump(Json{{"message", message.data}, {"parts", step.sealed}}));
      if (step.results.empty()) continue;
      model::Message results{.role = model::Role::tool};
      results.content = std::move(step.results);
      give(id + "/results", std::move(results));
    }
  }

  // The answer to a request to compact replaces all before it.
  void take_summary(const OpencodeMessage& message, const std::vector<OpencodeStep>& steps) {
    model::payload::CompactionSummary summary;
    for (const OpencodeStep& step : steps) {
      for (const model::Block& block : step.said)
        if (const auto* text = std::get_if<model::Text>(&block)) summary.summary += text->text;
      if (step.usage) summary.usage = step.usage;
    }
    if (summary.summary.empty() || at(message.data, "error").is_object())
      return receiver_.lose("compactions that failed");
    if (!summary.usage) summary.usage = opencode_usage(at(message.data, "tokens"));
    name_opencode_model(message.data, summary);
    if (const std::string kept = std::exchange(tail_start_, {}); !kept.empty())
      if (const auto start = starts_.find(kept); start != starts_.end())
        summary.first_kept = entry_id(opencode_name, session_.id, start->second);
    give(message.id, model::Payload(std::move(summary)));
  }

  const ForeignSession& session_;
  const ReadOptions& options_;
  Receiver& receiver_;
  EntryChain chain_;
  const std::string revert_message_, revert_part_;
  std::optional<std::string> leaf_{};  // the head, if it is not the last entry
  std::string time_{};                 // of the message
  std::string tail_start_{};           // of the compaction whose summary comes next
  // The first entry of each message, or the first behind one that has none; those still to come.
  std::unordered_map<std::string, std::string> starts_{};
  std::vector<std::string> starting_{};
};

}  // namespace

std::optional<ForeignSession> opencode_session(const Json& json) {
  ForeignSession session{.id = string_at(json, "id"),
                         .cwd = string_at(json, "directory"),
                         .title = string_at(json, "title"),
                         .parent = string_at(json, "parentID")};
  if (session.id.empty()) return std::nullopt;
  session.created_at = time_from(at(at(json, "time"), "created"));
  session.updated_at = time_from(at(at(json, "time"), "updated"));
  // Until something has made a better one.
  for (const char* placeholder : {"New session - ", "Child session - "})
    if (session.title.starts_with(placeholder)) session.title.clear();
  if (session.parent == session.id) session.parent.clear();
  session.spawned = !session.parent.empty();
  return session;
}

void give_opencode_session(const ForeignSession& session, const Json& revert,
                           const std::vector<OpencodeMessage>& messages, const ReadOptions& options,
                           Receiver& receiver) {
  OpencodeEntries(session, revert, options, receiver).give(messages);
}

std::optional<OpencodeMessage> as_first_opencode(OpencodeMessage message, const std::string& type) {
  if (!message.data.is_object()) return std::nullopt;
  const Json data = std::exchange(message.data, Json{{"role", "user"}});
  if (type == "user") {
    add_text_part(message, string_at(data, "text"));
    for (Json file : list_at(data, "files")) {
      if (!file.is_object()) continue;
      file["type"] = "file";
      add_second_part(message, std::move(file));
    }
  } else if (type == "synthetic" || type == "skill") {
    add_text_part(message, string_at(data, "text"), true);
  } else if (type == "system") {
    message.data["system"] = at(data, "text");
  } else if (type == "shell") {
    const std::string output = string_at(data, "output", string_at(at(data, "output"), "output"));
    add_text_part(message, ran_command(string_at(data, "command"), output, at(data, "exit")));
  } else if (type == "assistant" || type == "compaction") {
    message.data = data;
    message.data["role"] = "assistant";
    message.data["summary"] = type == "compaction";
    type == "assistant" ? put_second_answer(message, data) : put_second_compaction(message, data);
  } else if (type == "model-switched") {
    message.data = data;
    message.data["role"] = type;
  } else if (type == "idle" || type == "agent-switched" || type == "location-switched") {
    return std::nullopt;
  } else {
    message.data["role"] = type;  // the reader says that it does not know it
  }
  return message;
}

namespace {

// The objects in a folder's *.json; the name of its file is the id of one that has none. No link is
// followed.
std::vector<OpencodePart> objects_in(const fs::path& folder, Receiver& receiver) {
  std::vector<OpencodePart> out;
  for (const std::string& path : files_in(folder, ".json")) {
    Json json = json_beside(path);
    std::string id = string_at(json, "id", fs::path(path).stem().string());
    if (json.is_object())
      out.push_back({std::move(id), std::move(json)});
    else
      receiver.lose("damaged files");
  }
  return out;
}

// Those in <storage>/<kind>/<name>.
std::vector<OpencodePart> objects_of(const fs::path& kind, const std::string& name,
                                     Receiver& receiver) {
  std::error_code failed;
  const bool is_folder = fs::symlink_status(kind, failed).type() == fs::file_type::directory;
  return is_plain_name(name) && is_folder ? objects_in(kind / name, receiver)
                                          : std::vector<OpencodePart>{};
}

std::vector<OpencodeMessage> messages_in_tree(const fs::path& storage, const std::string& session,
                                              Receiver& receiver) {
  std::vector<OpencodeMessage> messages;
  for (OpencodePart& each : objects_of(storage / "message", session, receiver)) {
    const std::int64_t time = int_at(at(each.data, "time"), "created");
    messages.push_back({.id = std::move(each.id), .time = time, .data = std::move(each.data)});
  }
  std::ranges::stable_sort(messages, {}, &OpencodeMessage::time);
  // The oldest layout: every part of every session in one folder.
  std::map<std::string, OpencodeMessage*> by_id;
  for (OpencodeMessage& message : messages) by_id.emplace(message.id, &message);
  for (OpencodePart& each : objects_in(storage / "part", receiver))
    if (const auto owner = by_id.find(string_at(each.data, "messageID")); owner != by_id.end())
      owner->second->parts.push_back(std::move(each));
  for (OpencodeMessage& message : messages)
    for (OpencodePart& each : objects_of(storage / "part", message.id, receiver))
      message.parts.push_back(std::move(each));
  return messages;
}

bool is_opencode_session_file(const SourceFile& file) {
  constexpr std::size_t most_bytes = std::size_t{4} << 20;  // with the summary of many changes
  if (!file.name().ends_with(".json") || file.size() > most_bytes) return false;
  const std::string head = file.head();
  if (!head.starts_with('{') || head.find("\"projectID\"") == std::string::npos) return false;
  const Json json = whole_json(file, most_json_bytes);
  return at(json, "projectID").is_string() && at(json, "id").is_string() &&
         at(json, "title").is_string() && at(at(json, "time"), "created").is_number();
}

// The session in that file, with its messages and parts in the other folders of the storage.
void read_opencode_tree(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const Json json = whole_json(file, most_json_bytes);
  const std::optional<ForeignSession> session = opencode_session(json);
  if (!session) throw Error(file.path() + " is not a session of opencode");
  if (!receiver.begin(*session)) return;
  const fs::path storage = fs::path(file.folder()) / ".." / "..";
  give_opencode_session(*session, at(json, "revert"),
                        messages_in_tree(storage, session->id, receiver), options, receiver);
}

Json opencode_json(const Cell& cell) { return parse_json(cell.bytes).value_or(Json()); }

class OpencodeDatabase {
 public:
  OpencodeDatabase(const SourceFile& file, Receiver& receiver)
      : database_(file), receiver_(receiver) {
    if (!database_.has("session")) throw Error(file.path() + " has no sessions of opencode");
  }

  void read(const ReadOptions& options) {
    std::vector<std::pair<ForeignSession, Json>> sessions;
    each_row({.table = "session",
              .columns = {"id", "parent_id", "directory", "title", "time_created", "revert",
                          "time_updated"},
              .order = {"time_created", "id"}},
             [&](DatabaseRow row) {
               const Json session{
                   {"id", row[0].bytes},
                   {"parentID", row[1].bytes},
                   {"directory", row[2].bytes},
                   {"title", row[3].bytes},
                   {"time", {{"created", row[4].integer}, {"updated", row[6].integer}}}};
               if (auto found = opencode_session(session))
                 sessions.emplace_back(*std::move(found), opencode_json(row[5]));
             });
    for (const auto& [session, revert] : sessions)
      if (receiver_.begin(session))
        give_opencode_session(session, revert, messages_of(session.id), options, receiver_);
  }

 private:
  template <class Each>
  void each_row(const Database::Query& query, Each each) {
    const bool whole = database_.each_row(query, [&](DatabaseRow row) {
      each(row);
      return true;
    });
    if (!whole) receiver_.lose("damaged parts of the database");
  }

  // Those in the table of the second version, else those of the first.
  std::vector<OpencodeMessage> messages_of(const std::string& session) {
    std::vector<OpencodeMessage> out;
    bool any = false;
    each_row({.table = "session_message",
              .columns = {"id", "time_created", "data", "type"},
              .where = "session_id",
              .equals = session,
              .order = {"seq"}},
             [&](DatabaseRow row) {
               any = true;
               if (auto message = message_in(row))
                 if (auto first = as_first_opencode(*std::move(message), std::string(row[3].bytes)))
                   out.push_back(*std::move(first));
             });
    if (any) return out;
    each_row({.table = "message",
              .columns = {"id", "time_created", "data"},
              .where = "session_id",
              .equals = session,
              .order = {"time_created", "id"}},
             [&](DatabaseRow row) {
               if (auto message = message_in(row)) out.push_back(*std::move(message));
             });
    for (OpencodeMessage& message : out) add_parts(message);
    return out;
  }

  std::optional<OpencodeMessage> message_in(DatabaseRow row) {
    OpencodeMessage message{
        .id = std::string(row[0].bytes), .time = row[1].integer, .data = opencode_json(row[2])};
    if (message.data.is_object() && !message.id.empty()) return message;
    receiver_.lose("damaged lines");
    return std::nullopt;
  }

  void add_parts(OpencodeMessage& message) {
    each_row({.table = "part",
              .columns = {"id", "data"},
              .where = "message_id",
              .equals = message.id,
              .order = {"id"}},
             [&](DatabaseRow row) {
               Json data = opencode_json(row[1]);
               if (data.is_object())
                 message.parts.push_back({std::string(row[0].bytes), std::move(data)});
               else
                 receiver_.lose("damaged lines");
             });
  }

  Database database_;
  Receiver& receiver_;
};

bool is_opencode_database(const SourceFile& file) {
  return is_database_with(file, "session_message", "opencode.db") ||
         (is_database_with(file, "part", "opencode.db") &&
          is_database_with(file, "session", "opencode.db"));
}

}  // namespace

bool is_opencode(const SourceFile& file) {
  return is_opencode_database(file) || is_opencode_session_file(file);
}

void read_opencode(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  if (is_opencode_database(file)) return OpencodeDatabase(file, receiver).read(options);
  read_opencode_tree(file, options, receiver);
}

}  // namespace skein::importers
