#include "core/import/codex/codex_records.h"

#include "core/text/text.h"

namespace skein::importers {

namespace {

struct CodexRow {
  std::string_view type;
  CodexKind kind;
};
constexpr CodexRow codex_item_rows[] = {
    {"message", CodexKind::prompt},
    {"agent_message", CodexKind::context},
    {"reasoning", CodexKind::answer},
    {"function_call", CodexKind::call},
    {"custom_tool_call", CodexKind::call},
    {"local_shell_call", CodexKind::call},
    {"tool_search_call", CodexKind::call},
    {"web_search_call", CodexKind::search},
    {"image_generation_call", CodexKind::search},
    {"function_call_output", CodexKind::output},
    {"custom_tool_call_output", CodexKind::output},
    {"local_shell_call_output", CodexKind::output},
    {"tool_search_output", CodexKind::output},
};
constexpr CodexRow codex_event_rows[] = {
    {"user_message", CodexKind::prompt},
    {"agent_message", CodexKind::answer},
    {"thread_rolled_back", CodexKind::rollback},
    {"error", CodexKind::failure},
    {"token_count", CodexKind::usage},
    {"task_complete", CodexKind::end},
    {"turn_complete", CodexKind::end},
    {"turn_aborted", CodexKind::end},
    {"task_started", CodexKind::end},
    {"turn_started", CodexKind::end},
};

class CodexReader {
 public:
  explicit CodexReader(Receiver& receiver) : receiver_(receiver) {}

  void add(const ForeignRecord& line, const SourceFile& file) {
    Json& json = line.json;
    CodexRecord record{.time = time_from(at(json, "timestamp")),
                       .file = &file,
                       .offset = line.offset,
                       .size = line.written.size()};
    const std::string type = string_at(json, "type");
    // The oldest rollouts have the items themselves on their lines.
    const bool bare = !json.contains("payload") && !type.empty();
    Json& payload = bare ? json : json["payload"];
    if (!payload.is_object()) {
      if (!json.contains("record_type") && !json.contains("id"))
        receiver_.lose("records of an unknown kind");
      return;
    }
    const bool wanted = bare ? classify_item(record, payload) : classify(record, type, payload);
    record.model = model_;
    if (record.kind != CodexKind::end) record.said = std::move(payload);
    if (wanted && name(record, line.written)) records_.push_back(std::move(record));
  }

  // Events are about items; where there are no items, they are all there is.
  std::vector<CodexRecord> chosen() {
    std::erase_if(records_, [&](const CodexRecord& record) {
      if (!record.event) return false;
      if (record.kind == CodexKind::prompt || record.kind == CodexKind::answer) return items_;
      return record.kind == CodexKind::usage && usages_;
    });
    return std::move(records_);
  }

 private:
  bool classify(CodexRecord& record, const std::string& type, const Json& payload) {
    if (type == "response_item") return classify_item(record, payload);
    if (type == "event_msg") return classify_event(record, payload);
    if (type == "compacted") {
      record.kind = CodexKind::compaction;
      return true;
    }
    if (type == "token_usage_record") {
      record.kind = CodexKind::usage;
      return usages_ = true;
    }
    if (type == "turn_context") {
      if (payload.contains("model")) model_ = id_at(payload, "model");
      return true;
    }
    if (!has_word("session_meta world_state inter_agent_communication "
                  "inter_agent_communication_metadata security_risk_score",
                  type))
      receiver_.lose("records of an unknown kind");
    return false;
  }

  bool classify_item(CodexRecord& record, const Json& item) {
    std::string type = string_at(item, "type");
    const std::string role = string_at(item, "role");
    if (type.empty() && item.contains("content") && !role.empty()) type = "message";
    const auto* const row = std::ranges::find(codex_item_rows, type, &CodexRow::type);
    if (row == std::end(codex_item_rows)) {
      // Of the sealed ones nothing can be read.
      if (has_word("compaction context_compaction compaction_summary", type))
        receiver_.lose("encrypted compactions");
      else if (type != "ghost_snapshot")
        receiver_.lose("items of an unknown kind");
      return false;
    }
    record.kind = row->kind;
    if (type == "message" && role == "assistant") record.kind = CodexKind::answer;
    if (type == "message" && (role == "developer" || role == "system"))
      record.kind = CodexKind::context;
    record.call = id_at(item, "call_id");
    if (record.call.empty() && row->kind != CodexKind::output) record.call = id_at(item, "id");
    return items_ = true;
  }

  bool classify_event(CodexRecord& record, const Json& event) {
    const std::string type = string_at(event, "type");
    const auto* const row = std::ranges::find(codex_event_rows, type, &CodexRow::type);
    if (row == std::end(codex_event_rows)) return false;
    record.kind = row->kind;
    record.event = true;
    if (row->kind != CodexKind::usage) return true;
    // It is written again whenever a limit changes.
    const Json& total = at(at(event, "info"), "total_token_usage");
    return !total.is_null() && std::exchange(last_total_, total) != total;
  }

  // A repeated item is left out. Under an id that another one has already, what says something else
  // gets another id.
  bool name(CodexRecord& record, std::string_view written) {
    if (record.kind == CodexKind::usage || record.kind == CodexKind::end) return true;
    const std::string id = id_at(record.said, "id");
    const bool named = is_entry_id(id);
    record.id = named ? id : line_id(written);
    const auto [before, added] = places_.emplace(record.id, records_.size());
    if (added) return true;
    // Equal lines without ids are numbered; an id that comes again is a copy.
    if (named && records_[before->second].said == record.said) return false;
    record.id += "#" + std::to_string(++repeated_[record.id] + 1);
    return places_.emplace(record.id, records_.size()).second;
  }

  Receiver& receiver_;
  std::vector<CodexRecord> records_{};
  std::unordered_map<std::string, std::size_t> places_{}, repeated_{};  // by id
  Json last_total_{};                                                   // of all usage so far
  std::string model_{};
  bool items_ = false;   // there are items: events are only about them
  bool usages_ = false;  // there are records of usage: events only repeat them
};

// Which records make one entry.
class CodexUnits {
 public:
  std::deque<CodexUnit> of(const std::vector<CodexRecord>& records) {
    for (const CodexRecord& record : records) place(record);
    find_unfinished();
    return std::move(units_);
  }

 private:
  void place(const CodexRecord& record) {
    switch (record.kind) {
      case CodexKind::answer:
      case CodexKind::call:
        say(record);
        if (record.kind == CodexKind::call) ++open_->calls;
        if (!record.call.empty()) answer_of_[record.call] = open_;
        closed_ = false;
        return;
      case CodexKind::search:
        // Its result is made up at once, so it must not wait for those of others.
        if (open_ != nullptr && open_->calls > 0) open_ = nullptr;
        say(record);
        break;
      case CodexKind::output: place_output(record); break;
      case CodexKind::usage:
        if (latest_ != nullptr && latest_->usage == nullptr) latest_->usage = &record;
        break;
      case CodexKind::end: break;
      default: join(begin(record.kind), record);
    }
    open_ = nullptr;
    closed_ = true;
  }

  CodexUnit& begin(CodexKind kind) { return units_.emplace_back(CodexUnit{.kind = kind}); }

  static void join(CodexUnit& unit, const CodexRecord& record) {
    unit.records.push_back(&record);
    unit.bytes += record.size;
  }

  // Continues the answer, or begins one.
  void say(const CodexRecord& record) {
    if (open_ == nullptr || !has_room(open_->records.size(), open_->bytes))
      open_ = latest_ = &begin(CodexKind::answer);
    join(*open_, record);
  }

  // Whether not all of its calls are answered.
  static bool waits(const CodexUnit& answer) {
    return (answer.partner == nullptr ? 0 : answer.partner->calls) < answer.calls;
  }

  void place_output(const CodexRecord& record) {
    CodexUnit* answer = found_in(answer_of_, record.call);
    // Some do not name the call.
    if (record.call.empty() && latest_ != nullptr && waits(*latest_)) answer = latest_;
    CodexUnit* results = answer == nullptr ? nullptr : answer->partner;
    if (results == nullptr || !has_room(results->records.size(), results->bytes)) {
      results = &begin(CodexKind::output);
      results->partner = answer;
      if (answer != nullptr) answer->partner = results;
    }
    join(*results, record);
    ++results->calls;
  }

  // Only the end of a file may be unfinished, and messages that only events report: as soon as
  // there is an item, it counts instead.
  void find_unfinished() {
    bool is_last = true;  // nothing but results comes behind it
    for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit) {
      unit->unfinished = (unit->kind == CodexKind::prompt || unit->kind == CodexKind::answer) &&
                         unit->records.front()->event;
      if (&*unit == latest_ && is_last) {
        unit->unfinished = unit->unfinished || !closed_;
        if (unit->partner != nullptr) unit->partner->unfinished = waits(*unit);
      }
      is_last = is_last && unit->kind == CodexKind::output;
    }
  }

  std::deque<CodexUnit> units_{};
  std::unordered_map<std::string, CodexUnit*> answer_of_{};  // by the id of a call
  CodexUnit* open_ = nullptr;                                // the answer under way
  CodexUnit* latest_ = nullptr;                              // the answer that came last
  bool closed_ = false;                                      // something shows that it is whole
};

}  // namespace

CodexHistory read_codex_records(const std::vector<CodexFile>& files, const ReadOptions& options,
                                Receiver& receiver) {
  CodexReader reader(receiver);
  for (const CodexFile& each : files)
    each_record(
        *each.file, {.growing = options.growing && &each == &files.back()}, receiver,
        [&](const ForeignRecord& line) { reader.add(line, *each.file); }, each.end);
  CodexHistory out{.records = reader.chosen()};
  out.units = CodexUnits().of(out.records);
  return out;
}

}  // namespace skein::importers
