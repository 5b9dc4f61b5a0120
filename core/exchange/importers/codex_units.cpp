#include "core/exchange/importers/codex_units.h"

#include <utility>

namespace skein::exchange::importers {

namespace {

// Whether another record may be joined to it: an entry must fit into memory.
bool has_place(const CodexUnit& unit) {
  return unit.size < 4096 && unit.bytes < (std::uint64_t{64} << 20);
}

}  // namespace

CodexUnits::CodexUnits(const CodexIndex& index)
    : index_(index), next_(index.records.size(), no_record) {
  for (std::uint32_t record = 0; record < index_.records.size(); ++record) place(record);
  find_unfinished();
}

std::uint32_t CodexUnits::begin(CodexEntry kind) {
  units.push_back({.kind = kind});
  return static_cast<std::uint32_t>(units.size() - 1);
}

void CodexUnits::join(std::uint32_t place, std::uint32_t record) {
  CodexUnit& unit = units[place];
  if (unit.first == no_record)
    unit.first = record;
  else
    next_[unit.last] = record;
  unit.last = record;
  ++unit.size;
  unit.bytes += index_.records[record].size;
}

// Goes on with the answer, or begins one.
void CodexUnits::say(std::uint32_t record) {
  if (open_ == no_record || !has_place(units[open_])) open_ = latest_ = begin(CodexEntry::answer);
  join(open_, record);
}

void CodexUnits::place(std::uint32_t place) {
  const CodexRecord& record = index_.records[place];
  switch (record.kind) {
    case CodexKind::answer:
    case CodexKind::call:
      say(place);
      if (record.kind == CodexKind::call) ++units[open_].calls;
      if (record.call != 0) answer_of_[record.call] = open_;
      closed_ = false;
      return;
    case CodexKind::search:
      // Its result is made up at once, so it must not wait for those of others.
      if (open_ != no_record && units[open_].calls > 0) open_ = no_record;
      say(place);
      break;
    case CodexKind::output: place_output(place); break;
    case CodexKind::usage:
      if (latest_ != no_record && units[latest_].usage == no_record) units[latest_].usage = place;
      break;
    case CodexKind::end: break;
    case CodexKind::prompt: join(begin(CodexEntry::prompt), place); break;
    case CodexKind::context: join(begin(CodexEntry::context), place); break;
    case CodexKind::compaction: join(begin(CodexEntry::compaction), place); break;
    case CodexKind::rollback: join(begin(CodexEntry::rollback), place); break;
    case CodexKind::failure: join(begin(CodexEntry::failure), place); break;
  }
  open_ = no_record;
  closed_ = true;
}

// Whether not all of its calls are answered.
bool CodexUnits::waits(const CodexUnit& answer) const {
  return (answer.partner == no_record ? 0 : units[answer.partner].calls) < answer.calls;
}

void CodexUnits::place_output(std::uint32_t place) {
  const CodexRecord& record = index_.records[place];
  const auto found = answer_of_.find(record.call);
  std::uint32_t answer = found == answer_of_.end() ? no_record : found->second;
  // Some do not name the call.
  if (record.call == 0 && latest_ != no_record && waits(units[latest_])) answer = latest_;
  std::uint32_t results = answer == no_record ? no_record : units[answer].partner;
  if (results == no_record || !has_place(units[results])) {
    results = begin(CodexEntry::results);
    units[results].partner = answer;
    if (answer != no_record) units[answer].partner = results;
  }
  join(results, place);
  ++units[results].calls;
}

// Only what stands at the end may be unfinished, and what only events tell of: as soon as there is
// an item, it counts instead.
void CodexUnits::find_unfinished() {
  for (CodexUnit& unit : units)
    unit.unfinished = (unit.kind == CodexEntry::prompt || unit.kind == CodexEntry::answer) &&
                      index_.records[unit.first].event;
  if (latest_ == no_record) return;
  CodexUnit& answer = units[latest_];
  for (std::size_t after = latest_ + 1; after < units.size(); ++after)
    if (units[after].kind != CodexEntry::results) return;
  answer.unfinished = answer.unfinished || !closed_;
  if (answer.partner != no_record) units[answer.partner].unfinished = waits(answer);
}

}  // namespace skein::exchange::importers
