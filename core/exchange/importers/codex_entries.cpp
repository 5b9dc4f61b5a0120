#include "core/exchange/importers/codex_entries.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "core/exchange/importers/anthropic_blocks.h"
#include "core/exchange/importers/claude_text.h"
#include "core/exchange/importers/codex_items.h"
#include "core/exchange/importers/json_records.h"
#include "core/text/base.h"

namespace skein::exchange::importers {

CodexEntries::CodexEntries(const std::vector<CodexFile>& files, const CodexIndex& index,
                           const CodexUnits& units, const ReadOptions& options, Receiver& receiver,
                           std::string provider)
    : index_(index),
      units_(units),
      options_(options),
      receiver_(receiver),
      provider_(std::move(provider)),
      given_(units.units.size()) {
  for (const CodexFile& each : files) readers_.emplace_back(*each.file);
}

void CodexEntries::give() {
  for (std::uint32_t unit = 0; unit < units_.units.size(); ++unit) {
    give_unit(unit);
    // Results follow their calls at once, whatever was written between.
    const std::uint32_t partner = units_.units[unit].partner;
    if (units_.units[unit].kind == CodexEntry::answer && partner != no_record) give_unit(partner);
  }
  receiver_.end(current_);
}

void CodexEntries::give_unit(std::uint32_t place) {
  const CodexUnit& unit = units_.units[place];
  if (given_[place] || (unit.unfinished && options_.growing)) return;
  given_[place] = true;
  switch (unit.kind) {
    case CodexEntry::prompt: give_prompt(unit); break;
    case CodexEntry::context: give_context(unit); break;
    case CodexEntry::answer: give_answer(unit); break;
    case CodexEntry::results: give_results(unit); break;
    case CodexEntry::compaction: give_compaction(unit); break;
    case CodexEntry::rollback: roll_back(unit); break;
    case CodexEntry::failure: give_failure(unit); break;
  }
}

ForeignEntry CodexEntries::entry_of(const CodexUnit& unit) const {
  const CodexRecord& record = index_.records[unit.first];
  ForeignEntry entry{.id = index_.names.text(record.id),
                     .parent = current_,
                     .time = record.time == 0 ? std::string{} : utc_from_ms(record.time)};
  if (unit.unfinished) entry.id += "+" + std::to_string(unit.size);
  return entry;
}

void CodexEntries::add(ForeignEntry entry) {
  // What is only context is followed by nothing, so that a path has none of it.
  if (!std::holds_alternative<ForeignContext>(entry.content)) current_ = entry.id;
  receiver_.add(std::move(entry));
}

void CodexEntries::alias_rest(const CodexUnit& unit, const std::string& id) {
  if (unit.unfinished) return;
  for (std::uint32_t at = units_.next(unit.first); at != no_record; at = units_.next(at))
    receiver_.alias(index_.names.text(index_.records[at].id), id);
}

std::string_view CodexEntries::read(const CodexRecord& record, std::uint32_t from,
                                    std::size_t size) {
  return readers_[record.file].read(record.offset + from, size);
}

Json CodexEntries::body(const CodexRecord& record) {
  if (auto json = read_json(read(record, record.body, record.body_size))) return std::move(*json);
  receiver_.lose("damaged lines");
  return nullptr;
}

void CodexEntries::add_raw(ForeignEntry& entry, const CodexRecord& record) {
  const std::string text(read(record, 0, record.size));
  // Images are kept once.
  if (text.find("data:image/") != std::string::npos || !read_json(text)) return;
  if (entry.raw.empty())
    entry.raw = json_line(text);
  else if (entry.raw.starts_with('['))
    entry.raw.replace(entry.raw.size() - 1, 1, "," + json_line(text) + "]");
  else
    entry.raw = "[" + entry.raw + "," + json_line(text) + "]";
}

void CodexEntries::give_prompt(const CodexUnit& unit) {
  const Json said = body(index_.records[unit.first]);
  ForeignEntry entry = entry_of(unit);
  const Json& content = at(said, "content");
  std::vector<model::Block> blocks =
      codex_content(content.is_null() ? at(said, "message") : content, receiver_);
  if (blocks.empty()) return;
  const std::string text = as_text(blocks);
  if (const std::string label = codex_context(said, text); !label.empty()) {
    entry.content = ForeignContext{label, text};
    return add(std::move(entry));
  }
  before_.push_back(current_);
  entry.content = model::Message{.content = std::move(blocks)};
  add(std::move(entry));
}

void CodexEntries::give_context(const CodexUnit& unit) {
  const CodexRecord& record = index_.records[unit.first];
  const Json said = body(record);
  ForeignEntry entry = entry_of(unit);
  const std::string text = as_text(codex_content(at(said, "content"), receiver_));
  if (text.empty()) return;
  std::string label = string_at(said, "type") == "agent_message" ? "message of another agent"
                                                                 : codex_context(said, text);
  if (label.empty()) label = "instructions";
  entry.content = ForeignContext{std::move(label), text};
  add(std::move(entry));
}

std::string CodexEntries::call_id(const CodexRecord& record) {
  std::string id =
      record.call == 0 ? "call_" + index_.names.text(record.id) : index_.names.text(record.call);
  if (calls_.insert(id).second) return open_call_ = id;
  std::string other;
  for (std::size_t number = 2; !calls_.insert(other = id + "#" + std::to_string(number)).second;)
    ++number;
  renamed_[id] = other;
  return open_call_ = other;
}

void CodexEntries::give_answer(const CodexUnit& unit) {
  ForeignEntry entry = entry_of(unit);
  model::Message message{.role = model::Role::assistant,
                         .provider = provider_,
                         .model = index_.names.text(index_.records[unit.first].model)};
  model::Message found{.role = model::Role::tool};  // by the service itself
  std::string found_id;
  for (std::uint32_t place = unit.first; place != no_record; place = units_.next(place)) {
    const CodexRecord& record = index_.records[place];
    const Json item = body(record);
    const bool calls = record.kind != CodexKind::answer;
    const std::string call = calls ? call_id(record) : std::string{};
    CodexBlocks said = codex_blocks(item, call, receiver_);
    std::ranges::move(said.blocks, std::back_inserter(message.content));
    if (said.sealed) add_raw(entry, record);
    if (record.kind != CodexKind::search) continue;
    found.content.emplace_back(codex_search_result(item, call, receiver_));
    found_id = index_.names.text(record.id) + "/results";
  }
  if (message.content.empty() && entry.raw.empty()) return;
  if (unit.usage != no_record) {
    const Json told = body(index_.records[unit.usage]);
    const Json& last = at(at(told, "info"), "last_token_usage");
    message.usage = codex_usage(last.is_object() ? last : at(told, "usage"));
  }
  message.stop = end_of(message);
  const std::string id = entry.id;
  const std::string time = entry.time;
  entry.content = std::move(message);
  add(std::move(entry));
  alias_rest(unit, id);
  if (!found.content.empty())
    add({.id = found_id, .parent = id, .time = time, .content = std::move(found)});
}

void CodexEntries::give_results(const CodexUnit& unit) {
  ForeignEntry entry = entry_of(unit);
  model::Message message{.role = model::Role::tool};
  std::unordered_set<std::string> answered;
  for (std::uint32_t place = unit.first; place != no_record; place = units_.next(place)) {
    const CodexRecord& record = index_.records[place];
    if (record.call == 0 && unit.partner == no_record) {
      receiver_.lose("tool results that answer no call");
      continue;
    }
    std::string call = record.call == 0 ? open_call_ : index_.names.text(record.call);
    // The second call of that id is answered second.
    if (const auto other = renamed_.find(call); other != renamed_.end() && answered.contains(call))
      call = other->second;
    if (call.empty() || !answered.insert(call).second) {
      receiver_.lose("repeated tool results");
      continue;
    }
    message.content.emplace_back(codex_result(body(record), call, receiver_));
  }
  if (message.content.empty()) return;
  const std::string id = entry.id;
  entry.content = std::move(message);
  add(std::move(entry));
  alias_rest(unit, id);
}

void CodexEntries::give_failure(const CodexUnit& unit) {
  const Json said = body(index_.records[unit.first]);
  ForeignEntry entry = entry_of(unit);
  std::string text = string_at(said, "message");
  if (text.empty()) return;
  entry.content = model::Message{.role = model::Role::assistant,
                                 .provider = provider_,
                                 .model = index_.names.text(index_.records[unit.first].model),
                                 .stop = model::Stop::error,
                                 .error = std::move(text)};
  add(std::move(entry));
}

void CodexEntries::give_compaction(const CodexUnit& unit) {
  const CodexRecord& record = index_.records[unit.first];
  const Json said = body(record);
  if (said.is_null()) return;
  ForeignEntry entry = entry_of(unit);
  entry.content = model::Payload(model::payload::CompactionSummary{.summary = codex_summary(said)});
  if (at(said, "replacement_history").is_array()) add_raw(entry, record);
  add(std::move(entry));
}

void CodexEntries::roll_back(const CodexUnit& unit) {
  std::int64_t turns = int_at(body(index_.records[unit.first]), "num_turns");
  for (; turns > 0 && !before_.empty(); --turns) {
    current_ = before_.back();
    before_.pop_back();
  }
}

}  // namespace skein::exchange::importers
