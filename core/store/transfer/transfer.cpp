#include "core/store/transfer/transfer.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "core/store/blob_names.h"
#include "core/store/log/line_codec.h"
#include "core/store/transfer/session_copy.h"

namespace skein::store::transfer {

namespace {

using Known = std::unordered_set<Id>;

constexpr std::size_t most_bytes = 4u << 20, most_entries = 500;  // at a time

Failure stays_damaged(const SessionCopy& copy) {
  if (copy.unreadable) return *copy.unreadable;
  const std::string& key = copy.record.key;
  return {Failure::Kind::damaged,
          key + " is damaged and stays where it is; `skein doctor " + key + "` says where"};
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

// Every line of a session, with the blobs it refers to; `seen` is called for each.
GiveLines lines_of(StorageBackend& from, StorageBackend& to, Id session,
                   const std::function<void(std::string_view)>& seen) {
  return [&from, &to, session, seen](const VisitText& visit) {
    BlobMover blobs(from, to);
    Result<void> moved;
    const auto given = from.give_lines(session, 0, [&](std::string_view line) {
      seen(line);
      moved = blobs.take_along(line);
      return moved && visit(line);
    });
    return moved ? given : moved;
  };
}

Result<Moved> bring_whole(const SessionCopy& from, StorageBackend& to, const MoveOptions& options) {
  if (from.is_damaged()) return stays_damaged(from);
  std::size_t count = 0;
  const auto seen = [&](std::string_view line) {
    options.step(line.size() + 1);
    ++count;
  };
  const Result<SessionRecord> admitted =
      to.admit(from.session, lines_of(from.store, to, from.session, seen), options.taken);
  if (!admitted) return admitted.error();
  if (from.record.archived)
    if (const auto done = to.archive(from.session); !done) return done.error();
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
  Known behind;
  for (const auto& [entry, parent] : came)
    if (parent == head || (parent && behind.contains(*parent))) behind.insert(entry);
  return leaf && behind.contains(*leaf);
}

// By their ids, each behind the parent it has. Where the conversation goes on there stays as it is,
// unless what came goes on from there.
Result<Moved> bring_branch(const SessionCopy& source, const SessionCopy& target) {
  StorageBackend &from = source.store, &to = target.store;
  const Id id = source.session;
  const Known known = ids_of(target.entries);
  const SessionState& there = target.record.state;
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
  if (there.head && now->state.head != there.head && !goes_on(there.head, came, now->state.head)) {
    const NewEntry head{model::make_entry(payload::Head{*there.head})};
    if (const auto done = to.append(id, std::span(&head, 1), {}); !done) return done.error();
  }
  return out;
}

Result<Moved> bring(const SessionCopy& from, const SessionCopy& to, const Step& step) {
  const Known known = ids_of(to.entries);
  const bool prefix = begins(to, from);
  // Where they have parted, each goes on where it was.
  if (std::ranges::all_of(from.entries, [&](const Placed& each) {
        return known.contains(each.id) || (each.local && !prefix);
      })) {
    step(from.record.bytes);
    return Moved{};
  }
  if (prefix) {
    step(to.end());
    Result<Moved> moved = bring_rest(from.store, to.store, from.session, to.end(), step);
    if (moved || moved.error().kind != Failure::Kind::conflict) return moved;
  }
  Result<Moved> moved = bring_branch(from, to);
  step(from.record.bytes);
  return moved;
}

}  // namespace

Result<Moved> move_session(StorageBackend& from, StorageBackend& to, const SessionRecord& session,
                           const MoveOptions& options) {
  const Id id = session.header.session;
  const Result<SessionCopy> ours = copy_in(from, id);
  if (!ours) return ours.error();
  const Result<SessionCopy> theirs = copy_in(to, id);
  if (!theirs && theirs.error().kind == Failure::Kind::gone) return bring_whole(*ours, to, options);
  if (!theirs) return theirs.error();
  for (const SessionCopy* each : {&*ours, &*theirs})
    if (each->is_damaged()) return stays_damaged(*each);
  return bring(*ours, *theirs, options.step);
}

namespace {

// Ids are random: a session that ends with the same entry, as long, at the same time, is the same.
bool is_same(const SessionRecord& one, const SessionRecord& other) {
  return one.state == other.state && one.bytes == other.bytes && one.damage == other.damage;
}

Result<void> replace(const SessionCopy& damaged, const SessionCopy& by) {
  StorageBackend& store = damaged.store;
  const auto lines = lines_of(by.store, store, by.session, [](std::string_view) {});
  const auto replaced = store.replace(by.session, damaged.end(), lines);
  if (!replaced) return replaced.error();
  return damaged.record.archived ? store.archive(by.session) : Result<void>{};
}

Failure cannot_be_completed(const SessionCopy& ours, const SessionCopy& theirs) {
  if (ours.unreadable && theirs.unreadable) return *ours.unreadable;
  const std::string& key = (ours.unreadable ? theirs : ours).record.key;
  const std::string where = !theirs.is_damaged() ? "this home"
                            : ours.is_damaged()  ? "both homes"
                                                 : "the other home";
  return {Failure::Kind::damaged, key + " is damaged in " + where +
                                      " and cannot be completed; both copies stay as they are, "
                                      "and `skein doctor " +
                                      key + "` says where"};
}

// One of the two is not whole: what can be read of it goes to the other one, whose lines then take
// its place. Nothing is written unless all of that can be done.
Result<Synced> complete(const SessionCopy& ours, const SessionCopy& theirs) {
  const auto rank = [](const SessionCopy& copy) {
    return std::tuple(!copy.is_damaged(), copy.is_damaged() && only_end_is_torn(copy),
                      copy.entries.size(), copy.end());
  };
  const bool from_here = rank(ours) >= rank(theirs);
  const SessionCopy &source = from_here ? ours : theirs, &other = from_here ? theirs : ours;
  const std::optional<std::size_t> wanted = lacking(source, other);
  const bool usable = !source.is_damaged() || (only_end_is_torn(source) && !other.unreadable);
  if (!wanted || !usable) return cannot_be_completed(ours, theirs);
  Synced out;
  Moved &at_source = from_here ? out.here : out.there, &at_other = from_here ? out.there : out.here;
  if (source.is_damaged())
    if (const auto done = replace(source, source); !done) return done.error();
  if (*wanted > 0) {
    const Result<Moved> moved = bring_branch(other, source);
    if (!moved) return moved.error();
    at_source = *moved;
  }
  at_source.replaced = source.is_damaged();
  const Known known = ids_of(other.entries);
  const auto came = std::ranges::count_if(
      source.entries, [&](const Placed& each) { return each.at > 0 && !known.contains(each.id); });
  if (const auto done = replace(other, source); !done) return done.error();
  at_other = {Moved::How::extended, static_cast<std::size_t>(came), true};
  return out;
}

}  // namespace

Result<Synced> sync_session(StorageBackend& here, StorageBackend& there, Id session,
                            const Step& step) {
  if (const auto ours = here.open(session), theirs = there.open(session);
      ours && theirs && is_same(*ours, *theirs)) {
    step(ours->bytes);
    return Synced{};
  }
  const Result<SessionCopy> ours = copy_in(here, session), theirs = copy_in(there, session);
  for (const auto* each : {&ours, &theirs})
    if (!*each && each->error().kind != Failure::Kind::gone) return each->error();
  if (!ours && !theirs) return ours.error();
  if (!ours || !theirs) {
    const Result<Moved> moved =
        bring_whole(ours ? *ours : *theirs, ours ? there : here, {TakenKey::numbered, step});
    if (!moved) return moved.error();
    return ours ? Synced{.there = *moved} : Synced{.here = *moved};
  }
  if (ours->is_damaged() || theirs->is_damaged() || is_cut_short(*ours, *theirs) ||
      is_cut_short(*theirs, *ours))
    return complete(*ours, *theirs);
  const Result<Moved> went = bring(*ours, *theirs, step);
  if (!went) return went.error();
  const Result<SessionCopy> now = copy_in(there, session);
  if (!now) return now.error();
  const Result<Moved> came = bring(*now, *ours, step);
  if (!came) return came.error();
  return Synced{*went, *came};
}

}  // namespace skein::store::transfer
