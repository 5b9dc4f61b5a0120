#include "core/store/transfer/session_copy.h"

#include <algorithm>
#include <utility>

#include "core/store/log/line_codec.h"

namespace skein::store::transfer {

namespace {

// Where the entries of `part` end in `whole`, which begins with them; none: it does not.
std::optional<Position> end_in(const SessionCopy& part, const SessionCopy& whole) {
  const std::size_t count = part.entries.size();
  if (count > whole.entries.size() ||
      !std::equal(part.entries.begin(), part.entries.end(), whole.entries.begin()))
    return std::nullopt;
  return count < whole.entries.size() ? whole.entries[count].at : whole.end();
}

// Whether a batch of lines begins there.
bool is_border(const SessionCopy& copy, Position at) {
  bool border = false;
  (void)copy.store.give_lines(copy.session, at, [&](std::string_view text) {
    const std::optional<log::Line> line = log::read_line(text);
    border = line && line->seal.place == 0;
    return false;
  });
  return border;
}

}  // namespace

bool is_local(std::string_view entry_type, std::string_view payload) {
  return entry_type == type::custom && payload.starts_with(R"({"kind":"head")");
}

Result<SessionCopy> copy_in(StorageBackend& store, Id session) {
  SessionCopy out{store, session};
  Result<SessionRecord> record = store.open(session);
  if (!record && record.error().kind != Failure::Kind::damaged) return record.error();
  if (!record) {
    out.unreadable = record.error();
    return out;
  }
  out.record = *std::move(record);
  const auto done = store.survey(session, [&](const EntryFacts& facts) {
    out.entries.push_back({facts.id, facts.at, facts.parent, is_local(facts.type, facts.body)});
  });
  if (!done) return done.error();
  Result<Damage> damage = store.examine(session);
  if (!damage) return damage.error();
  out.damage = *std::move(damage);
  out.damage.uncommitted.clear();
  return out;
}

std::unordered_set<Id> ids_of(const std::vector<Placed>& entries) {
  std::unordered_set<Id> out;
  for (const Placed& each : entries) out.insert(each.id);
  return out;
}

bool begins(const SessionCopy& part, const SessionCopy& whole) {
  return part.end() < whole.end() && end_in(part, whole) == part.end() &&
         is_border(whole, part.end());
}

bool is_cut_short(const SessionCopy& part, const SessionCopy& whole) {
  const std::optional<Position> end = end_in(part, whole);
  return end == part.end() + 1 ||
         (end == part.end() && part.end() < whole.end() && !is_border(whole, part.end()));
}

bool only_end_is_torn(const SessionCopy& copy) {
  const Damage& damage = copy.damage;
  return !copy.unreadable && !damage.header_damaged && damage.altered.empty() &&
         damage.gaps.empty() && std::ranges::all_of(copy.entries, [&](const Placed& each) {
           return each.at < damage.broken.front().begin;
         });
}

std::optional<std::size_t> lacking(const SessionCopy& source, const SessionCopy& other) {
  std::unordered_set<Id> known = ids_of(source.entries);
  std::size_t count = 0;
  for (const Placed& each : other.entries) {
    if (each.at == 0 || each.local || known.contains(each.id)) continue;
    const bool altered =
        std::ranges::binary_search(other.damage.altered, each.at, {}, &Damage::Range::begin);
    if (altered || (each.parent && !known.contains(*each.parent))) return std::nullopt;
    known.insert(each.id);
    ++count;
  }
  return count;
}

}  // namespace skein::store::transfer
