#include "core/store/transfer/transfer.h"

#include "core/store/blob_names.h"
#include "core/store/log/line_codec.h"

namespace skein::store::transfer {

namespace {

struct Placed {
  Id id{};
  Position at = 0;
  std::optional<Id> parent{};
  bool local = false;  // says only where the conversation continues
  bool operator==(const Placed&) const = default;
};

// A session as one home has it, as far as it can be read, to be compared with the copy of another
// home.
struct SessionCopy {
  StorageBackend& store;
  Id session{};
  SessionRecord record{};
  std::vector<Placed> entries{};
  Damage damage{};                      // without what was never acknowledged
  std::optional<Failure> unreadable{};  // all of it, and why
  bool is_damaged() const { return unreadable || damage.any(); }
  Position end() const { return damage.end; }
};

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

bool is_local(std::string_view entry_type, std::string_view payload) {
  return entry_type == type::custom && payload.starts_with(R"({"kind":"head")");
}

// `gone`: it is not there.
Result<SessionCopy> copy_in(StorageBackend& store, Id session) {
  SessionCopy out{store, session};
  Result<SessionRecord> record = store.open(session);
  if (!record && record.error().kind != Failure::Kind::damaged) return record.error();
  if (!record) {
    out.unreadable = record.error();
    return out;
  }
  out.record = *std::move(record);
  TRY(store.survey(session, [&](const EntryFacts& facts) {
    out.entries.push_back({facts.id, facts.at, facts.parent, is_local(facts.type, facts.body)});
  }));
  out.damage = TRY(store.examine(session));
  out.damage.uncommitted.clear();
  return out;
}

std::unordered_set<Id> ids_of(const std::vector<Placed>& entries) {
  std::unordered_set<Id> out;
  for (const Placed& each : entries) out.insert(each.id);
  return out;
}

// Whether `part` is how `whole` begins, up to the end of a batch of lines.
bool begins(const SessionCopy& part, const SessionCopy& whole) {
  return part.end() < whole.end() && end_in(part, whole) == part.end() &&
         is_border(whole, part.end());
}

// The same up to a line in the middle of a batch, or without its newline: copying it was
// interrupted.
bool is_cut_short(const SessionCopy& part, const SessionCopy& whole) {
  const std::optional<Position> end = end_in(part, whole);
  return end == part.end() + 1 ||
         (end == part.end() && part.end() < whole.end() && !is_border(whole, part.end()));
}

// Of a damaged one: every entry that can be read is before the damage.
bool only_end_is_torn(const SessionCopy& copy) {
  const Damage& damage = copy.damage;
  return !copy.unreadable && !damage.header_damaged && damage.altered.empty() &&
         damage.gaps.empty() && std::ranges::all_of(copy.entries, [&](const Placed& each) {
           return each.at < damage.broken.front().begin;
         });
}

// How many entries of `other` the source lacks; none: one of them cannot be brought, since it was
// altered or its parent is lost.
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

using Known = std::unordered_set<Id>;

constexpr std::size_t most_bytes = 4u << 20, most_entries = 500;  // at a time

Failure stays_damaged(const SessionCopy& copy) {
  if (copy.unreadable) return *copy.unreadable;
  const std::string& key = copy.record.key;
  return {Failure::Kind::damaged,
          key + " is damaged and was not copied; `skein doctor " + key + "` says where"};
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
      TRY(to_.keep_blob(*bytes));
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

Result<Moved> bring_whole(const SessionCopy& from, StorageBackend& to, TakenKey taken,
                          const Step& step) {
  if (from.is_damaged()) return stays_damaged(from);
  std::size_t count = 0;
  const auto seen = [&](std::string_view line) {
    step(line.size() + 1);
    ++count;
  };
  TRY(to.import_lines(from.session, lines_of(from.store, to, from.session, seen), taken));
  if (from.record.archived) TRY(to.archive(from.session));
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
    moved = to.append_lines(session, end, lines);
    if (moved) end += bytes;
    out.entries += lines.size();
    step(bytes);
    lines.clear();
    bytes = 0;
    return bool(moved);
  };
  TRY(from.give_lines(session, end, [&](std::string_view text) {
    moved = blobs.take_along(text);
    if (!moved) return false;
    bytes += lines.emplace_back(text).size() + 1;
    const std::optional<log::Line> line = log::read_line(text);
    const bool border = line && line->seal.place + 1 == line->seal.count;
    return !border || bytes < most_bytes || send();
  }));
  if (moved) send();
  if (!moved) return moved.error();
  return out;
}

// Whether `leaf` continues from `head` by way of these.
bool goes_on(std::optional<Id> head, const std::vector<std::pair<Id, std::optional<Id>>>& came,
             std::optional<Id> leaf) {
  Known behind;
  for (const auto& [entry, parent] : came)
    if (parent == head || (parent && behind.contains(*parent))) behind.insert(entry);
  return leaf && behind.contains(*leaf);
}

// By their ids, each behind the parent it has. Where the conversation continues there stays as it
// is, unless what came continues from there.
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
  TRY(from.load(id, 0, [&](const StoredEntry& placed) {
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
  }));
  if (moved) send();
  if (!moved) return moved.error();
  const SessionRecord now = TRY(to.open(id));
  if (there.head && now.state.head != there.head && !goes_on(there.head, came, now.state.head)) {
    const NewEntry head{model::make_entry(payload::Head{*there.head})};
    TRY(to.append(id, std::span(&head, 1), {}));
  }
  return out;
}

Result<Moved> bring(const SessionCopy& from, const SessionCopy& to, const Step& step) {
  const Known known = ids_of(to.entries);
  const bool prefix = begins(to, from);
  // Where they have parted, each continues where it was.
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

// Ids are random: a session that ends with the same entry, as long, at the same time, is the same.
bool is_same(const SessionRecord& one, const SessionRecord& other) {
  return one.state == other.state && one.bytes == other.bytes && one.damage == other.damage;
}

Result<void> replace(const SessionCopy& damaged, const SessionCopy& by) {
  StorageBackend& store = damaged.store;
  const auto lines = lines_of(by.store, store, by.session, [](std::string_view) {});
  TRY(store.replace(by.session, damaged.end(), lines));
  return damaged.record.archived ? store.archive(by.session) : Result<void>{};
}

Failure cannot_be_completed(const SessionCopy& ours, const SessionCopy& theirs) {
  if (ours.unreadable && theirs.unreadable) return *ours.unreadable;
  const std::string& key = (ours.unreadable ? theirs : ours).record.key;
  const std::string where = !theirs.is_damaged() ? "this home"
                            : ours.is_damaged()  ? "both homes"
                                                 : "the other home";
  return {Failure::Kind::damaged,
          key + " is damaged in " + where +
              " and cannot be completed; both copies are unchanged, and `skein doctor " + key +
              "` says where"};
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
  if (source.is_damaged()) TRY(replace(source, source));
  if (*wanted > 0) {
    const Moved moved = TRY(bring_branch(other, source));
    at_source = moved;
  }
  at_source.replaced = source.is_damaged();
  const Known known = ids_of(other.entries);
  const auto came = std::ranges::count_if(
      source.entries, [&](const Placed& each) { return each.at > 0 && !known.contains(each.id); });
  TRY(replace(other, source));
  at_other = {Moved::How::extended, static_cast<std::size_t>(came), true};
  return out;
}

}  // namespace

Result<Moved> move_session(StorageBackend& from, StorageBackend& to, Id session, const Step& step) {
  const SessionCopy ours = TRY(copy_in(from, session));
  const Result<SessionCopy> theirs = copy_in(to, session);
  if (!theirs && theirs.error().kind == Failure::Kind::gone)
    return bring_whole(ours, to, TakenKey::refused, step);
  if (!theirs) return theirs.error();
  for (const SessionCopy* each : {&ours, &*theirs})
    if (each->is_damaged()) return stays_damaged(*each);
  return bring(ours, *theirs, step);
}

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
    const Moved moved =
        TRY(bring_whole(ours ? *ours : *theirs, ours ? there : here, TakenKey::numbered, step));
    return ours ? Synced{.there = moved} : Synced{.here = moved};
  }
  if (ours->is_damaged() || theirs->is_damaged() || is_cut_short(*ours, *theirs) ||
      is_cut_short(*theirs, *ours))
    return complete(*ours, *theirs);
  const Moved went = TRY(bring(*ours, *theirs, step));
  const SessionCopy now = TRY(copy_in(there, session));
  const Moved came = TRY(bring(now, *ours, step));
  return Synced{went, came};
}

}  // namespace skein::store::transfer
