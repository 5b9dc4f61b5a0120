#include "core/store/transfer/transfer.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/store/blob_names.h"
#include "core/store/log/line_codec.h"

namespace skein::store::transfer {

namespace {

constexpr std::size_t most_bytes = 4u << 20, most_entries = 500;  // at a time

struct Placed {
  Id id{};
  Position at = 0;
  bool local = false;  // says only where the conversation goes on
  bool operator==(const Placed&) const = default;
};

bool is_local(std::string_view entry_type, std::string_view payload) {
  return entry_type == type::custom && payload.starts_with(R"({"kind":"head")");
}

Result<std::vector<Placed>> entries_in(StorageBackend& store, Id session) {
  std::vector<Placed> out;
  const auto done = store.survey(session, [&](const EntryFacts& facts) {
    out.push_back({facts.id, facts.at, is_local(facts.type, facts.body)});
  });
  if (!done) return done.error();
  return out;
}

// The bytes that lines refer to must be there before anybody reads the lines.
class BlobMover {
 public:
  BlobMover(StorageBackend& from, StorageBackend& to) : from_(from), to_(to) {}

  Result<void> take_along(std::string_view text) {
    for (const std::string& name : blob_names_in(text)) {
      if (!seen_.insert(name).second) continue;
      const Result<std::string> bytes = from_.load_blob(name);
      if (!bytes && bytes.error().kind == Failure::Kind::damaged) return bytes.error();
      if (!bytes) continue;  // it only looks like a name, or was lost before
      if (const auto kept = to_.keep_blob(*bytes); !kept) return kept.error();
    }
    return {};
  }

 private:
  StorageBackend& from_;
  StorageBackend& to_;
  std::set<std::string> seen_{};
};

Result<Moved> bring_whole(StorageBackend& from, StorageBackend& to, Id session,
                          const MoveOptions& options) {
  BlobMover blobs(from, to);
  std::size_t count = 0;
  Result<void> moved;
  const auto lines = [&](const VisitText& visit) {
    const auto given = from.give_lines(session, 0, [&](std::string_view line) {
      options.step(line.size() + 1);
      ++count;
      moved = blobs.take_along(line);
      return moved && visit(line);
    });
    return moved ? given : moved;
  };
  const Result<SessionRecord> admitted = to.admit(session, lines, options.taken);
  if (!admitted) return admitted.error();
  return Moved{Moved::How::whole, count - 1};  // without the header
}

Result<Moved> bring_rest(StorageBackend& from, StorageBackend& to, Id session, Position end,
                         const Step& step) {
  BlobMover blobs(from, to);
  Moved out{Moved::How::extended};
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  Result<void> moved;
  const auto send = [&] {
    if (lines.empty()) return true;
    moved = to.extend(session, end, lines);
    if (moved) end += bytes;
    out.entries += lines.size();
    step(bytes);
    lines.clear();
    bytes = 0;
    return bool(moved);
  };
  const auto given = from.give_lines(session, end, [&](std::string_view text) {
    moved = blobs.take_along(text);
    if (!moved) return false;
    bytes += lines.emplace_back(text).size() + 1;
    const std::optional<log::Line> line = log::read_line(text);
    const bool border = line && line->seal.place + 1 == line->seal.count;
    return !border || bytes < most_bytes || send();
  });
  if (!given) return given.error();
  if (moved) send();
  if (!moved) return moved.error();
  return out;
}

// Whether `leaf` goes on from `head` by way of these.
bool goes_on(std::optional<Id> head, const std::vector<std::pair<Id, std::optional<Id>>>& came,
             std::optional<Id> leaf) {
  std::unordered_set<Id> behind;
  for (const auto& [entry, parent] : came)
    if (parent == head || (parent && behind.contains(*parent))) behind.insert(entry);
  return leaf && behind.contains(*leaf);
}

// By their ids, each behind the parent it has. Where the conversation goes on there stays as it is,
// unless what came goes on from there.
Result<Moved> bring_branch(StorageBackend& from, StorageBackend& to, const SessionRecord& session,
                           const SessionRecord& there, const std::unordered_set<Id>& known) {
  const Id id = session.header.session;
  BlobMover blobs(from, to);
  Moved out{Moved::How::branched};
  std::vector<NewEntry> batch;
  std::vector<std::pair<Id, std::optional<Id>>> came;
  std::size_t bytes = 0;
  Result<void> moved;
  const auto send = [&] {
    if (batch.empty()) return true;
    const Result<AppendResult> appended = to.append(id, batch, {});
    moved = appended ? Result<void>{} : appended.error();
    if (appended) out.entries += appended->appended;
    batch.clear();
    bytes = 0;
    return bool(moved);
  };
  const auto loaded = from.load(id, 0, [&](const StoredEntry& placed) {
    const Entry& entry = placed.entry;
    if (entry.type == type::session_header || known.contains(entry.id) ||
        is_local(entry.type, entry.payload))
      return true;
    if (!model::is_marginal(entry.type)) came.emplace_back(entry.id, entry.parent);
    // What is in files stays on the machine where they are.
    if (!model::read_as<payload::Checkpoint>(entry)) moved = blobs.take_along(entry.payload);
    if (!moved) return false;
    bytes += placed.entry.payload.size();
    batch.push_back({placed.entry, false});
    return (batch.size() < most_entries && bytes < most_bytes) || send();
  });
  if (!loaded) return loaded.error();
  if (moved) send();
  if (!moved) return moved.error();
  const Result<SessionRecord> now = to.open(id);
  if (!now) return now.error();
  if (there.state.head && now->state.head != there.state.head &&
      !goes_on(there.state.head, came, now->state.head)) {
    const NewEntry head{model::make_entry(payload::Head{*there.state.head})};
    if (const auto done = to.append(id, std::span(&head, 1), {}); !done) return done.error();
  }
  return out;
}

}  // namespace

Result<Moved> move_session(StorageBackend& from, StorageBackend& to, const SessionRecord& session,
                           const MoveOptions& options) {
  const Step& step = options.step;
  const Id id = session.header.session;
  const Result<Damage> damage = from.examine(id);
  if (!damage) return damage.error();
  Damage counted = *damage;
  counted.uncommitted.clear();  // nobody was told of that
  if (counted.any())
    return Failure{Failure::Kind::damaged, session.key + " is damaged and stays where it is; " +
                                               "`skein doctor " + session.key + "` says where"};
  const Result<SessionRecord> there = to.open(id);
  if (!there && there.error().kind != Failure::Kind::gone) return there.error();
  if (!there) {
    Result<Moved> moved = bring_whole(from, to, id, options);
    if (moved && session.archived)
      if (const auto done = to.archive(id); !done) return done.error();
    return moved;
  }
  const Result<std::vector<Placed>> ours = entries_in(from, id), theirs = entries_in(to, id);
  if (!ours) return ours.error();
  if (!theirs) return theirs.error();
  std::unordered_set<Id> known;
  for (const Placed& each : *theirs) known.insert(each.id);
  const bool prefix = theirs->size() < ours->size() &&
                      std::equal(theirs->begin(), theirs->end(), ours->begin()) &&
                      (*ours)[theirs->size()].at == there->bytes;
  // Where they have parted, each goes on where it was.
  if (std::ranges::all_of(*ours, [&](const Placed& each) {
        return known.contains(each.id) || (each.local && !prefix);
      })) {
    step(session.bytes);
    return Moved{};
  }
  if (prefix) {
    step(there->bytes);
    Result<Moved> moved = bring_rest(from, to, id, there->bytes, step);
    if (moved || moved.error().kind != Failure::Kind::conflict) return moved;
  }
  Result<Moved> moved = bring_branch(from, to, session, *there, known);
  step(session.bytes);
  return moved;
}

namespace {

// Ids are random: a session that ends with the same entry, as long, at the same time, is the same.
bool is_same(const SessionRecord& one, const SessionRecord& other) {
  return one.state == other.state && one.bytes == other.bytes;
}

}  // namespace

Result<Synced> sync_session(StorageBackend& here, StorageBackend& there, Id session,
                            const Step& step) {
  const MoveOptions options{TakenKey::numbered, step};
  Synced out;
  const Result<SessionRecord> ours = here.open(session), theirs = there.open(session);
  for (const auto* each : {&ours, &theirs})
    if (!*each && each->error().kind != Failure::Kind::gone) return each->error();
  if (!ours && !theirs) return ours.error();
  if (ours && theirs && is_same(*ours, *theirs)) {
    step(ours->bytes);
    return out;
  }
  if (ours) {
    const Result<Moved> moved = move_session(here, there, *ours, options);
    if (!moved) return moved.error();
    out.there = *moved;
  }
  if (theirs) {
    const Result<SessionRecord> now = there.open(session);
    if (!now) return now.error();
    const Result<Moved> moved = move_session(there, here, *now, options);
    if (!moved) return moved.error();
    out.here = *moved;
  }
  return out;
}

}  // namespace skein::store::transfer
