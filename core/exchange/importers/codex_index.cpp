#include "core/exchange/importers/codex_index.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_members.h"
#include "core/exchange/importers/json_records.h"
#include "core/text/base.h"
#include "core/text/sha256.h"

namespace skein::exchange::importers {

// The members of a record, as they stand in it.
struct CodexIndex::Seen {
  std::string_view type{}, payload{}, time{};
  std::string_view id{}, record_type{};
};

namespace {

constexpr std::size_t most_records = 8'000'000;

std::uint64_t codex_hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

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

// Items without a place in a conversation; of the sealed ones nothing can be read.
bool is_codex_bookkeeping(std::string_view type) { return type == "ghost_snapshot"; }
bool is_codex_sealed(std::string_view type) {
  return type == "compaction" || type == "context_compaction" || type == "compaction_summary";
}

}  // namespace

CodexIndex::CodexIndex(const std::vector<CodexFile>& files, bool growing) {
  for (std::uint32_t file = 0; file < files.size(); ++file) {
    const SourceFile& source = *files[file].file;
    const std::uint64_t mark = source.read(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
    const bool last = file + 1 == files.size();
    const std::size_t too_long = source.lines([&](const SourceFile::Line& line) {
      if (line.offset + line.text.size() > files[file].end) return false;
      const std::uint64_t offset = line.offset + (line.offset == 0 ? mark : 0);
      std::string_view rest = after_blanks(line.text);
      while (!rest.empty()) {  // records may be glued to each other
        const std::size_t length =
            add(rest, offset + static_cast<std::uint64_t>(rest.data() - line.text.data()), file);
        if (length == 0) {
          if (line.ended || !growing || !last) ++losses["damaged lines"];
          break;
        }
        rest = after_blanks(rest.substr(length));
      }
      return records.size() < most_records;
    });
    if (too_long > 0) losses["lines of more than 64 MiB"] += static_cast<int>(too_long);
  }
  if (records.size() >= most_records) ++losses["lines behind the eight millionth"];
  choose();
}

// Events tell of items; where there are no items, they are all there is.
void CodexIndex::choose() {
  std::erase_if(records, [&](const CodexRecord& record) {
    if (!record.event) return false;
    if (record.kind == CodexKind::prompt || record.kind == CodexKind::answer) return items_;
    return record.kind == CodexKind::usage && usages_;
  });
}

std::size_t CodexIndex::add(std::string_view text, std::uint64_t offset, std::uint32_t file) {
  if (!text.starts_with('{')) return 0;
  Seen seen;
  RawMembers members(text);
  while (const auto member = members.next()) {
    if (member->key == "type") seen.type = raw_id(member->value);
    if (member->key == "payload") seen.payload = member->value;
    if (member->key == "timestamp") seen.time = raw_id(member->value);
    if (member->key == "record_type") seen.record_type = member->value;
    if (member->key == "id") seen.id = member->value;
  }
  const std::size_t length = members.length();
  if (length == 0) return 0;
  const std::string_view record_text = text.substr(0, length);
  // The oldest rollouts have the items themselves on their lines.
  const bool bare = seen.payload.empty() && !seen.type.empty();
  if (bare) seen.payload = record_text;
  if (!seen.payload.starts_with('{')) {
    if (seen.record_type.empty() && seen.id.empty()) ++losses["records of an unknown kind"];
    return length;
  }
  CodexRecord record{.offset = offset,
                     .size = static_cast<std::uint32_t>(length),
                     .body = static_cast<std::uint32_t>(seen.payload.data() - record_text.data()),
                     .body_size = static_cast<std::uint32_t>(seen.payload.size()),
                     .file = file};
  if (seen.time.size() <= 40) record.time = ms_from_utc(seen.time).value_or(0);
  const bool wanted = bare ? classify_item(record, seen.payload) : classify(record, seen);
  record.model = model_;
  if (!wanted) return length;
  std::string_view id;
  RawMembers body(seen.payload);
  while (const auto member = body.next())
    if (member->key == "id") id = raw_entry_id(member->value);
  if (name(record, id, record_text)) records.push_back(record);
  return length;
}

bool CodexIndex::classify(CodexRecord& record, const Seen& seen) {
  if (seen.type == "response_item") return classify_item(record, seen.payload);
  if (seen.type == "event_msg") return classify_event(record, seen.payload);
  if (seen.type == "compacted") {
    record.kind = CodexKind::compaction;
    return true;
  }
  if (seen.type == "token_usage_record") {
    record.kind = CodexKind::usage;
    return usages_ = true;
  }
  if (seen.type == "turn_context") {
    RawMembers members(seen.payload);
    while (const auto member = members.next())
      if (member->key == "model") model_ = names.number(raw_id(member->value));
    return true;
  }
  static constexpr std::string_view known[] = {
      "session_meta", "world_state", "inter_agent_communication",
      "inter_agent_communication_metadata", "security_risk_score"};
  if (std::ranges::find(known, seen.type) == std::end(known))
    ++losses["records of an unknown kind"];
  return false;
}

bool CodexIndex::classify_item(CodexRecord& record, std::string_view item) {
  std::string_view type, role, call, id;
  bool content = false;
  RawMembers members(item);
  while (const auto member = members.next()) {
    if (member->key == "type") type = raw_id(member->value);
    if (member->key == "role") role = raw_id(member->value);
    if (member->key == "call_id") call = raw_id(member->value);
    if (member->key == "id") id = raw_id(member->value);
    if (member->key == "content") content = true;
  }
  if (type.empty() && content && !role.empty()) type = "message";
  const auto* const row = std::ranges::find(codex_item_rows, type, &CodexRow::type);
  if (row == std::end(codex_item_rows)) {
    if (is_codex_sealed(type))
      ++losses["sealed compactions"];
    else if (!is_codex_bookkeeping(type))
      ++losses["items of an unknown kind"];
    return false;
  }
  record.kind = row->kind;
  if (type == "message" && role == "assistant") record.kind = CodexKind::answer;
  if (type == "message" && (role == "developer" || role == "system"))
    record.kind = CodexKind::context;
  record.call = names.number(call.empty() && row->kind != CodexKind::output ? id : call);
  return items_ = true;
}

bool CodexIndex::classify_event(CodexRecord& record, std::string_view event) {
  std::string_view type, info;
  RawMembers members(event);
  while (const auto member = members.next()) {
    if (member->key == "type") type = raw_id(member->value);
    if (member->key == "info") info = member->value;
  }
  const auto* const row = std::ranges::find(codex_event_rows, type, &CodexRow::type);
  if (row == std::end(codex_event_rows)) return false;
  record.kind = row->kind;
  record.event = true;
  if (row->kind != CodexKind::usage) return true;
  // It is told again whenever a limit changes.
  std::string_view total;
  RawMembers counts(info);
  while (const auto member = counts.next())
    if (member->key == "total_token_usage") total = member->value;
  return !total.empty() && std::exchange(last_total_, codex_hash(total)) != codex_hash(total);
}

// A repeated item is left out. Under an id that another one has already, what says something else
// gets one of its own.
bool CodexIndex::name(CodexRecord& record, std::string_view id, std::string_view text) {
  if (record.kind == CodexKind::usage || record.kind == CodexKind::end) return true;
  const std::string own = id.empty() ? "line-" + sha256_hex(text).substr(0, 16) : std::string(id);
  record.id = names.number(own);
  const std::uint64_t said = codex_hash(text.substr(record.body, record.body_size));
  const auto [before, added] = said_.emplace(record.id, said);
  if (added) return true;
  // Equal lines without ids are told apart by their number; an id that comes again is a copy.
  if (!id.empty() && before->second == said) return false;
  record.id = names.number(own + "#" + std::to_string(++repeated_[record.id] + 1));
  return said_.emplace(record.id, said).second;
}

CodexHead codex_head(const SourceFile& file) {
  CodexHead out;
  std::optional<Json> first;
  file.lines([&](const SourceFile::Line& line) {
    const std::string_view text = after_blanks(line.text);
    first = read_json(text.substr(0, bracketed_length(text)));
    return false;
  });
  if (!first) return out;
  const Json& payload = at(*first, "payload");
  const Json& facts = payload.is_object() ? payload : *first;
  const auto id_at = [](const Json& object, std::string_view key) {
    const std::string id = string_at(object, key);
    return std::string(raw_id("\"" + id + "\""));
  };
  out.session = id_at(facts, "id");
  out.cwd = string_at(facts, "cwd");
  out.time = time_from(at(facts, "timestamp"));
  out.provider = string_at(facts, "model_provider");
  const Json& spawn = at(at(at(facts, "source"), "subagent"), "thread_spawn");
  out.parent = id_at(spawn, "parent_thread_id");
  if (out.parent.empty()) out.parent = id_at(facts, "parent_thread_id");
  out.spawned = !out.parent.empty();
  if (out.parent.empty()) out.parent = id_at(facts, "forked_from_id");
  const Json& base = at(facts, "history_base");
  out.base = id_at(base, "thread_id");
  out.base_end =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, int_at(base, "end_byte_offset")));
  return out;
}

}  // namespace skein::exchange::importers
