#include "core/exchange/importers/claude_index.h"

#include <algorithm>
#include <functional>

#include "core/exchange/importers/claude_text.h"
#include "core/exchange/importers/json_members.h"
#include "core/text/base.h"
#include "core/text/sha256.h"

namespace skein::exchange::importers {

// The members that say what a line is, as they stand in it.
struct ClaudeIndex::Seen {
  std::string_view type{}, subtype{}, uuid{}, parent{}, logical_parent{}, session{}, time{};
  std::string_view message{}, attachment{}, request{}, cwd{}, forked_from{};
  std::string_view side{}, meta{}, compact_summary{}, api_error{}, aborted{};
  std::string_view custom_title{}, ai_title{}, summary{}, leaf{}, source_line{}, content{};
};

namespace {

constexpr std::size_t most_lines = 8'000'000;
constexpr std::size_t most_summaries = 256;

bool is_true(std::string_view value) { return value == "true"; }

// What the program writes for itself: nothing of the conversation is in it.
bool is_claude_bookkeeping(std::string_view type) {
  static constexpr std::string_view rows[] = {
      "progress",
      "summary",
      "custom-title",
      "ai-title",
      "tag",
      "last-prompt",
      "queue-operation",
      "permission-mode",
      "mode",
      "agent-name",
      "agent-color",
      "agent-setting",
      "pr-link",
      "worktree-state",
      "relocated",
      "frame-link",
      "bridge-session",
      "atis-latch",
      "started",
      "result",
      "task-summary",
      "content-replacement",
      "api-request",
      "api-request-blob",
      "api-request-shape",
      "cost-state",
      "tools-used",
  };
  return std::ranges::find(rows, type) != std::end(rows);
}

bool begins_command(std::string_view text) {
  return text.starts_with("<command-name>") || text.starts_with("<command-message>");
}
bool begins_output(std::string_view text) {
  return text.starts_with("<local-command-stdout>") || text.starts_with("<local-command-stderr>");
}

}  // namespace

ClaudeIndex::ClaudeIndex(const SourceFile& file, bool growing) {
  const std::uint64_t mark = file.read(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
  const std::size_t too_long = file.lines([&](const SourceFile::Line& line) {
    const std::uint64_t offset = line.offset + (line.offset == 0 ? mark : 0);
    std::string_view rest = after_blanks(line.text);
    while (!rest.empty()) {  // records may be glued to each other
      const std::size_t length =
          add(rest, offset + static_cast<std::uint64_t>(rest.data() - line.text.data()));
      if (length == 0) {
        if (line.ended || !growing) ++losses["damaged lines"];
        break;
      }
      rest = after_blanks(rest.substr(length));
    }
    return lines.size() < most_lines;
  });
  if (too_long > 0) losses["lines of more than 64 MiB"] = static_cast<int>(too_long);
  if (lines.size() >= most_lines) ++losses["lines behind the eight millionth"];
  choose_title();
}

std::uint32_t ClaudeIndex::line(std::uint32_t name) const {
  return name == 0 || name >= line_of_.size() ? no_line : line_of_[name];
}

std::uint32_t ClaudeIndex::call(std::uint32_t name) const {
  const auto found = call_of_.find(name);
  return name == 0 || found == call_of_.end() ? no_line : found->second;
}

std::size_t ClaudeIndex::add(std::string_view text, std::uint64_t offset) {
  static constexpr std::pair<std::string_view, std::string_view Seen::*> rows[] = {
      {"type", &Seen::type},
      {"subtype", &Seen::subtype},
      {"uuid", &Seen::uuid},
      {"parentUuid", &Seen::parent},
      {"logicalParentUuid", &Seen::logical_parent},
      {"sessionId", &Seen::session},
      {"timestamp", &Seen::time},
      {"message", &Seen::message},
      {"attachment", &Seen::attachment},
      {"requestId", &Seen::request},
      {"cwd", &Seen::cwd},
      {"forkedFrom", &Seen::forked_from},
      {"isSidechain", &Seen::side},
      {"isMeta", &Seen::meta},
      {"isCompactSummary", &Seen::compact_summary},
      {"isApiErrorMessage", &Seen::api_error},
      {"isAbortedMidStream", &Seen::aborted},
      {"customTitle", &Seen::custom_title},
      {"aiTitle", &Seen::ai_title},
      {"summary", &Seen::summary},
      {"leafUuid", &Seen::leaf},
      {"sourceToolAssistantUUID", &Seen::source_line},
      {"content", &Seen::content},
  };
  if (!text.starts_with('{')) return 0;
  Seen seen;
  RawMembers members(text);
  while (const auto member = members.next())
    for (const auto& [key, place] : rows)
      if (member->key == key) {
        seen.*place = member->value;
        break;
      }
  const std::size_t length = members.length();
  if (length == 0) return 0;
  take_facts(seen);
  ClaudeLine line{.offset = offset, .size = static_cast<std::uint32_t>(length)};
  const std::string_view record = text.substr(0, length);
  if (!classify(line, seen)) return length;
  const std::string_view body = line.attachment ? seen.attachment : seen.message;
  if (!body.empty()) line.body = static_cast<std::uint32_t>(body.data() - record.data());
  line.body_size = static_cast<std::uint32_t>(body.size());
  line.hash =
      static_cast<std::uint32_t>(std::hash<std::string_view>{}(body.empty() ? record : body));
  if (name(line, seen, record)) lines.push_back(line);
  return length;
}

bool ClaudeIndex::classify(ClaudeLine& line, const Seen& seen) {
  const std::string_view type = raw_id(seen.type);
  if (type == "user" || type == "assistant") {
    line.kind = type == "user" ? ClaudeKind::prompt : ClaudeKind::answer;
    if (look_into_message(line, seen)) return true;
    ++losses["damaged lines"];
    return false;
  }
  line.attachment = type == "attachment";
  if (line.attachment) line.kind = ClaudeKind::context;
  if (type == "system") {
    const std::string_view subtype = raw_id(seen.subtype);
    if (subtype == "compact_boundary") line.kind = ClaudeKind::boundary;
    // The model does not see these, but they tell what the user did.
    if (subtype == "local_command" && seen.content.starts_with('"'))
      line.kind = ClaudeKind::context;
    return true;
  }
  if (type == "file-history-snapshot")
    ++losses["file snapshots"];
  else if (!line.attachment && !is_claude_bookkeeping(type))
    ++losses["records of an unknown kind"];
  return line.attachment || !raw_id(seen.uuid).empty();  // others may follow it
}

bool ClaudeIndex::look_into_message(ClaudeLine& line, const Seen& seen) {
  std::string_view content, id, stop;
  RawMembers members(seen.message.starts_with('{') ? seen.message : std::string_view{});
  while (const auto member = members.next()) {
    if (member->key == "content") content = member->value;
    if (member->key == "id") id = member->value;
    if (member->key == "stop_reason") stop = member->value;
  }
  if (!content.starts_with('"') && !content.starts_with('[')) return false;
  if (line.kind == ClaudeKind::answer) {
    line.stopped = stop.starts_with('"');
    line.failed = is_true(seen.api_error);
    line.aborted = is_true(seen.aborted);
    if (const std::string_view message = raw_id(id); !message.empty())
      line.message = names.number(std::string(message) + " " + std::string(raw_id(seen.request)));
  } else if (is_true(seen.compact_summary)) {
    line.kind = ClaudeKind::summary;
  } else if (is_true(seen.meta) && !is_claude_report(raw_beginning(content))) {
    line.kind = ClaudeKind::context;
  } else if (begins_command(raw_beginning(content))) {
    line.kind = ClaudeKind::command;
  } else if (begins_output(raw_beginning(content))) {
    line.kind = ClaudeKind::output;
  }
  if (content.starts_with('[')) {
    RawMembers blocks(content);
    while (const auto block = blocks.next()) look_at_block(line, block->value);
  }
  if (line.kind == ClaudeKind::result) line.answered = names.number(raw_id(seen.source_line));
  return true;
}

void ClaudeIndex::look_at_block(ClaudeLine& line, std::string_view block) {
  if (!block.starts_with('{')) return;
  std::string_view type, id, call, text;
  RawMembers members(block);
  while (const auto member = members.next()) {
    if (member->key == "type") type = raw_id(member->value);
    if (member->key == "id") id = raw_id(member->value);
    if (member->key == "tool_use_id") call = raw_id(member->value);
    if (member->key == "text") text = raw_beginning(member->value);
  }
  if (line.kind == ClaudeKind::answer) {
    if (type != "tool_use") return;
    ++line.calls;
    if (!id.empty()) call_of_.emplace(names.number(id), static_cast<std::uint32_t>(lines.size()));
  } else if (type == "tool_result") {
    line.kind = ClaudeKind::result;
    ++line.calls;
    if (line.answers == 0) line.answers = names.number(call);
  } else if (line.kind == ClaudeKind::prompt) {
    if (begins_command(text)) line.kind = ClaudeKind::command;
    if (begins_output(text)) line.kind = ClaudeKind::output;
  }
}

// A repeated line is left out. Under an id that another line has already, what says something else
// gets one of its own.
bool ClaudeIndex::name(ClaudeLine& line, const Seen& seen, std::string_view record) {
  std::string id(raw_entry_id(seen.uuid));
  if (id.empty()) id = "line-" + sha256_hex(record).substr(0, 16);
  line.id = names.number(id);
  if (const std::uint32_t other = this->line(line.id); other != no_line) {
    if (lines[other].hash == line.hash && lines[other].kind == line.kind) return false;
    line.id = names.number(id + "#" + std::to_string(++repeated_[line.id] + 1));
    if (this->line(line.id) != no_line) return false;
  }
  line.root = seen.parent == "null";
  line.parent = names.number(raw_id(seen.parent));
  if (line.parent == 0) line.parent = names.number(raw_id(seen.logical_parent));
  line.side = is_true(seen.side);
  if (const std::string_view time = raw_id(seen.time); time.size() <= 40)
    line.time = ms_from_utc(time).value_or(0);
  line_of_.resize(std::max(line_of_.size(), names.count()), no_line);
  line_of_[line.id] = static_cast<std::uint32_t>(lines.size());
  return true;
}

void ClaudeIndex::take_facts(const Seen& seen) {
  if (session.empty()) session = raw_id(seen.session);
  if (cwd.empty() && !seen.uuid.empty()) cwd = raw_string(seen.cwd);
  if (forked_from.empty() && seen.forked_from.starts_with('{')) {
    RawMembers members(seen.forked_from);
    while (const auto member = members.next())
      if (member->key == "sessionId") forked_from = raw_id(member->value);
  }
  if (!seen.custom_title.empty()) custom_title_ = raw_string(seen.custom_title);
  if (!seen.ai_title.empty()) made_title_ = raw_string(seen.ai_title);
  if (raw_id(seen.type) == "summary" && !seen.leaf.empty() && summaries_.size() < most_summaries)
    summaries_.emplace_back(raw_string(seen.summary), raw_id(seen.leaf));
}

void ClaudeIndex::choose_title() {
  title = custom_title_.empty() ? made_title_ : custom_title_;
  // A file may also tell how other sessions ended.
  for (const auto& [summary, leaf] : summaries_)
    if (custom_title_.empty() && made_title_.empty() && line(names.known(leaf)) != no_line)
      title = summary;
  title.resize(utf8_prefix(title, 500).size());
}

}  // namespace skein::exchange::importers
