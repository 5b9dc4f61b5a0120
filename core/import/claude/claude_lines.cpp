#include "core/import/claude/claude_lines.h"

#include "core/text/text.h"

namespace skein::importers {

namespace {

constexpr std::size_t most_summaries = 256;

// What the program writes for itself: nothing of the conversation is in it.
constexpr std::string_view claude_bookkeeping =
    "progress summary custom-title ai-title tag last-prompt queue-operation permission-mode mode "
    "agent-name agent-color agent-setting pr-link worktree-state relocated frame-link "
    "bridge-session atis-latch started result task-summary content-replacement api-request "
    "api-request-blob api-request-shape cost-state tools-used";

// What a background task or another agent reports to the model, in the place of the user's words.
bool is_claude_report(std::string_view text) {
  text = trimmed(text, " ");
  return text.starts_with("<task-notification>") || text.starts_with("<teammate-message");
}

// The kind of a text that seems to be the user's.
ClaudeKind kind_by_beginning(std::string_view text, ClaudeKind otherwise) {
  if (text.starts_with("<local-command-stdout>") || text.starts_with("<local-command-stderr>"))
    return ClaudeKind::output;
  if (text.starts_with("<command-name>") || text.starts_with("<command-message>"))
    return ClaudeKind::command;
  return otherwise;
}

// Reads the lines, and makes units of them and sessions of these.
class ClaudeReader {
 public:
  explicit ClaudeReader(Receiver& receiver) : receiver_(receiver) {}

  void add(const ForeignRecord& record) {
    take_facts(record.json);
    ClaudeLine read{
        .offset = record.offset, .size = record.written.size(), .number = out_.lines.size()};
    if (!classify(read, record.json) || !name(read, record)) return;
    ClaudeLine& line = out_.lines.emplace_back(std::move(read));
    line.unit = &unit_for(line);
    ClaudeUnit& unit = *line.unit;
    if (unit.kind != ClaudeKind::link && unit.kind != ClaudeKind::context) latest_ = &unit;
    unit.lines.push_back(&line);
    unit.bytes += line.size;
    unit.calls += line.calls;
    out_.line_of[line.id] = &line;
  }

  ClaudeTranscript finish() {
    choose_title();
    link_units();
    divide();
    for (const std::vector<ClaudeUnit*>& session : out_.sessions) find_unfinished(session);
    return std::move(out_);
  }

 private:
  void take_facts(const Json& record) {
    if (out_.session.empty()) out_.session = id_at(record, "sessionId");
    if (out_.cwd.empty() && record.contains("uuid")) out_.cwd = string_at(record, "cwd");
    if (out_.forked_from.empty()) out_.forked_from = id_at(at(record, "forkedFrom"), "sessionId");
    custom_title_ = string_at(record, "customTitle", custom_title_);
    made_title_ = string_at(record, "aiTitle", made_title_);
    if (string_at(record, "type") == "summary" && record.contains("leafUuid") &&
        summaries_.size() < most_summaries)
      summaries_.emplace_back(string_at(record, "summary"), id_at(record, "leafUuid"));
  }

  // False: the line says nothing of the conversation, or nothing that can be understood.
  bool classify(ClaudeLine& line, Json& record) {
    const std::string type = string_at(record, "type");
    if (type == "user" || type == "assistant") {
      line.kind = type == "user" ? ClaudeKind::prompt : ClaudeKind::answer;
      if (look_into_message(line, record)) return true;
      receiver_.lose("damaged lines");
      return false;
    }
    line.attachment = type == "attachment";
    if (line.attachment) line.kind = ClaudeKind::context;
    if (type == "system") {
      const std::string subtype = string_at(record, "subtype");
      if (subtype == "compact_boundary") line.kind = ClaudeKind::boundary;
      // The model does not see these, but they show what the user did.
      if (subtype == "local_command" && at(record, "content").is_string())
        line.kind = ClaudeKind::context;
      return true;
    }
    if (type == "file-history-snapshot")
      receiver_.lose("file snapshots");
    else if (!line.attachment && !has_word(claude_bookkeeping, type))
      receiver_.lose("records of an unknown kind");
    return line.attachment || !id_at(record, "uuid").empty();  // others may follow it
  }

  bool look_into_message(ClaudeLine& line, const Json& record) {
    const Json& message = at(record, "message");
    const Json& content = at(message, "content");
    if (!content.is_string() && !content.is_array()) return false;
    const std::string_view words =
        content.is_string() ? content.get_ref<const std::string&>() : std::string_view{};
    if (line.kind == ClaudeKind::answer) {
      line.failed = bool_at(record, "isApiErrorMessage");
      line.aborted = bool_at(record, "isAbortedMidStream");
      if (const std::string id = id_at(message, "id"); !id.empty())
        line.message = id + " " + id_at(record, "requestId");
    } else if (bool_at(record, "isCompactSummary")) {
      line.kind = ClaudeKind::summary;
    } else if (bool_at(record, "isMeta") && !is_claude_report(words)) {
      line.kind = ClaudeKind::context;
    } else {
      line.kind = kind_by_beginning(words, ClaudeKind::prompt);
    }
    for (const Json& block : elements(content)) look_at_block(line, block);
    if (line.kind == ClaudeKind::result) line.answered = id_at(record, "sourceToolAssistantUUID");
    return true;
  }

  void look_at_block(ClaudeLine& line, const Json& block) {
    const std::string type = string_at(block, "type");
    if (line.kind == ClaudeKind::answer) {
      if (type != "tool_use") return;
      ++line.calls;
      if (std::string id = id_at(block, "id"); !id.empty())
        call_of_.emplace(std::move(id), out_.lines.size());
    } else if (type == "tool_result") {
      line.kind = ClaudeKind::result;
      ++line.calls;
      if (line.answers.empty()) line.answers = id_at(block, "tool_use_id");
    } else if (line.kind == ClaudeKind::prompt) {
      line.kind = kind_by_beginning(string_at(block, "text"), line.kind);
    }
  }

  // A repeated line is left out. Under an id that another line has already, what says something
  // else gets another id.
  bool name(ClaudeLine& line, const ForeignRecord& record) {
    Json& json = record.json;
    std::string id = id_at(json, "uuid");
    if (!is_entry_id(id)) id = line_id(record.written);
    line.root = json.contains("parentUuid") && at(json, "parentUuid").is_null();
    line.parent = id_at(json, "parentUuid");
    if (line.parent.empty()) line.parent = id_at(json, "logicalParentUuid");
    line.side = bool_at(json, "isSidechain");
    line.time = time_from(at(json, "timestamp"));
    const char* body = line.attachment ? "attachment" : "message";
    if (line.kind == ClaudeKind::link)
      line.said = std::hash<std::string_view>{}(record.written);
    else
      line.said = json.contains(body) ? std::move(json[body]) : std::move(json);
    line.id = id;
    const ClaudeLine* const other = out_.line(id);
    if (other == nullptr) return true;
    if (other->kind == line.kind && other->said == line.said) return false;
    line.id += "#" + std::to_string(++repeated_[id] + 1);
    return out_.line(line.id) == nullptr;
  }

  // The unit the line belongs to, which may be a new one.
  ClaudeUnit& unit_for(const ClaudeLine& line) {
    const bool has_message = line.kind == ClaudeKind::answer && !line.message.empty();
    if (has_message)
      if (ClaudeUnit* const known = unit_of_message_[line.message];
          known != nullptr && has_room(known->lines.size(), known->bytes))
        return *known;
    ClaudeUnit* const answer = line.kind == ClaudeKind::result ? answer_of(line) : nullptr;
    if (ClaudeUnit* const known = answer == nullptr ? nullptr : answer->partner;
        known != nullptr && has_room(known->lines.size(), known->bytes))
      return *known;
    // Of the boundary it follows, or that is right before it.
    const ClaudeLine* const before = out_.line(line.parent);
    if (line.kind == ClaudeKind::summary && open_boundary_ != nullptr &&
        (latest_ == open_boundary_ || (before != nullptr && before->unit == open_boundary_)))
      return *std::exchange(open_boundary_, nullptr);
    // What was compacted came before.
    const bool root = line.root && line.parent.empty() && line.kind != ClaudeKind::boundary;
    ClaudeUnit& fresh =
        out_.units.emplace_back(ClaudeUnit{.kind = line.kind, .root = root, .partner = answer});
    if (has_message) unit_of_message_[line.message] = &fresh;
    if (answer != nullptr) answer->partner = &fresh;
    if (line.kind == ClaudeKind::boundary) open_boundary_ = &fresh;
    return fresh;
  }

  // The one whose calls are answered there: all results of an answer are one entry.
  ClaudeUnit* answer_of(const ClaudeLine& line) const {
    const auto call = call_of_.find(line.answers);
    const bool made_before = call != call_of_.end() && call->second < line.number;
    for (const ClaudeLine* made : {made_before ? &out_.lines[call->second] : nullptr,
                                   out_.line(line.answered), out_.line(line.parent)})
      if (made != nullptr && made->unit->kind == ClaudeKind::answer) return made->unit;
    return nullptr;
  }

  void link_units() {
    bool begun = false;
    for (ClaudeUnit& unit : out_.units) {
      const ClaudeLine* const before = out_.line(unit.first().parent);
      if (before != nullptr && before->unit != &unit) unit.parent = before->unit;
      // A result without a parent follows the call.
      if (unit.kind == ClaudeKind::result && unit.parent == nullptr) unit.parent = unit.partner;
      // An answer always follows something, so this file has no links at all.
      out_.unlinked |= unit.kind == ClaudeKind::answer && unit.root && begun && !unit.first().side;
      begun = begun || unit.kind != ClaudeKind::link;
    }
  }

  // A tree that a sub-agent's line begins, after the conversation itself has begun, is a separate
  // session. What comes later in the file never changes that, so that ids stay what they were.
  void divide() {
    std::unordered_map<const ClaudeUnit*, std::size_t> session_of;  // by the tree
    ClaudeUnit busy;
    ClaudeUnit* side_before = nullptr;  // the tree of the last line of a sub-agent
    std::size_t order = 0;
    bool begun = false;
    out_.sessions.emplace_back();
    for (ClaudeUnit& unit : out_.units) {
      // A parent may come after its child, or be its own ancestor.
      std::vector<ClaudeUnit*> path;
      ClaudeUnit* at = &unit;
      for (; at != nullptr && at->top == nullptr; at = at->parent) {
        path.push_back(at);
        at->top = &busy;
      }
      // Where a circle was closed, or at the root.
      ClaudeUnit* found = at == nullptr || at->top == &busy ? path.back() : at->top;
      // What lost its parent belongs to what was before it.
      if (at == nullptr && !found->root && found->first().side && side_before != nullptr)
        found = side_before;
      for (ClaudeUnit* each : std::views::reverse(path)) {
        each->top = found;
        each->order = order++;
      }
      const bool side = unit.first().side;
      const auto [place, added] = session_of.emplace(found, 0);
      if (added && side && begun) {
        place->second = out_.sessions.size();
        out_.sessions.emplace_back();
      }
      if (side) side_before = found;
      begun = begun || (!side && unit.kind != ClaudeKind::link);
      out_.sessions[place->second].push_back(&unit);
    }
  }

  // Only the end of a file may be unfinished.
  static void find_unfinished(const std::vector<ClaudeUnit*>& session) {
    ClaudeUnit* said = nullptr;     // the last that says something
    ClaudeUnit* command = nullptr;  // what comes next shows whose it was
    std::size_t last_line = 0;
    for (ClaudeUnit* unit : session) {
      if (unit->kind == ClaudeKind::link) continue;
      last_line = std::max(last_line, unit->last().number);
      if (unit->kind == ClaudeKind::context) continue;
      if (unit->kind != ClaudeKind::result &&
          (said == nullptr || unit->last().number > said->last().number))
        said = unit;
      if (command != nullptr) {
        command->local = unit->kind == ClaudeKind::output || unit->kind == ClaudeKind::command;
        command->unfinished = false;
      }
      command = unit->kind == ClaudeKind::command ? unit : nullptr;
      if (command != nullptr) unit->local = unit->unfinished = true;
    }
    if (said == nullptr) return;
    if (said->kind == ClaudeKind::boundary && said->lines.size() == 1)
      said->unfinished = last_line == said->last().number;
    if (said->kind != ClaudeKind::answer) return;
    said->unfinished = std::ranges::none_of(said->lines, [](const ClaudeLine* line) {
      return at(line->said, "stop_reason").is_string() || line->failed || line->aborted;
    });
    if (ClaudeUnit* const results = said->partner; results != nullptr)
      results->unfinished = said->unfinished || results->calls < said->calls;
  }

  void choose_title() {
    out_.title = custom_title_.empty() ? made_title_ : custom_title_;
    // A file may also say how other sessions ended.
    for (const auto& [summary, leaf] : summaries_)
      if (custom_title_.empty() && made_title_.empty() && out_.line(leaf) != nullptr)
        out_.title = summary;
    out_.title.resize(utf8_prefix(out_.title, 500).size());
  }

  Receiver& receiver_;
  ClaudeTranscript out_{};
  std::unordered_map<std::string, std::size_t> call_of_{};  // the number of the line that makes it
  std::unordered_map<std::string, std::size_t> repeated_{};
  std::unordered_map<std::string, ClaudeUnit*> unit_of_message_{};
  const ClaudeUnit* latest_ = nullptr;   // that a line was added to
  ClaudeUnit* open_boundary_ = nullptr;  // that has no summary yet
  std::string custom_title_{}, made_title_{};
  std::vector<std::pair<std::string, std::string>> summaries_{};  // with the line each is of
};

}  // namespace

ClaudeTranscript read_claude_lines(const SourceFile& file, const ReadOptions& options,
                                   Receiver& receiver) {
  ClaudeReader reader(receiver);
  each_record(file, options, receiver, [&](const ForeignRecord& record) { reader.add(record); });
  return reader.finish();
}

}  // namespace skein::importers
