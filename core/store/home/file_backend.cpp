#include "core/store/home/file_backend.h"

#include <algorithm>

#include "core/store/files/named_files.h"
#include "core/store/home/admit.h"
#include "core/store/home/archive.h"
#include "core/store/home/blobs.h"
#include "core/store/home/fork.h"
#include "core/store/home/migration.h"
#include "core/store/home/presence.h"
#include "core/store/home/sift.h"
#include "core/store/home/transcript_watch.h"
#include "core/store/home/trash.h"
#include "core/text/text.h"

namespace skein::store::home {

template <class Work>
auto FileBackend::with_log(Id session, Work work)
    -> decltype(work(std::declval<log::LogWriter&>())) {
  const Result<Transcript*> transcript = home_->transcript(session);
  if (!transcript) return transcript.error();
  const Home::Use use(*home_, session);
  return work(*(*transcript)->log);
}

Result<SessionRecord> FileBackend::open(Id session) {
  const Result<Transcript*> transcript = home_->transcript(session);
  if (!transcript) return transcript.error();
  return home_->record_of(**transcript);
}

Result<MigrationResult> FileBackend::migrate(Id session) {
  const Result<Transcript*> found = home_->transcript(session);
  if (found) return MigrationResult{session};
  const Failure& failed = found.error();
  if (failed.kind != Failure::Kind::damaged && failed.kind != Failure::Kind::gone) return failed;
  Result<MigrationResult> migrated = home::migrate(*home_, session);
  return migrated || migrated.error().kind != Failure::Kind::gone ? std::move(migrated) : failed;
}

Result<AppendResult> FileBackend::append(Id session, std::span<const NewEntry> entries,
                                         const AppendOptions& options) {
  for (int tries = 0;; ++tries) {
    // Not refreshed: append brings itself up to date, once it holds the lock.
    const Result<Transcript*> found = home_->seen_transcript(session);
    if (!found) {
      // It may be in an older form: then it is migrated first, or not written to.
      if (tries > 0) return found.error();
      if (const auto migrated = migrate(session); !migrated) return migrated.error();
      continue;
    }
    if ((*found)->archived()) {
      if (const auto done = unarchive(session); !done) return done.error();
      continue;
    }
    if ((*found)->beside_archive) {
      const Result<IndexChange> change = home_->index().change();
      if (!change) return change.error();
      if (const auto done = settle_pair(*home_, *change, session); !done) return done.error();
      (*found)->beside_archive = false;
    }
    home_->index().note_change(session);
    Result<AppendResult> outcome = (*found)->log->append(entries, options);
    if (outcome || outcome.error().kind != Failure::Kind::gone || tries > 2) return outcome;
    // Gone may mean that it was archived while it was open here. A log that is not is kept: it
    // knows what it could not take back.
    const auto there = files::stat(home_->files(), log::transcript_path(session));
    if (there || !there.error().missing) return outcome;
    home_->forget(session);
  }
}

Result<void> FileBackend::load(Id session, Position from, const VisitEntry& visit) {
  return with_log(session, [&](auto& log) { return log.each(from, visit); });
}

Result<void> FileBackend::load_back(Id session, std::optional<Position> from,
                                    const VisitEntry& visit) {
  return with_log(session, [&](auto& log) { return log.each_back(from, visit); });
}

Result<StoredEntry> FileBackend::load_at(Id session, Position at) {
  return with_log(session, [&](auto& log) { return log.at(at); });
}

Result<void> FileBackend::give_lines(Id session, Position from, const VisitText& visit) {
  return with_log(session, [&](auto& log) { return log.give_lines(from, visit); });
}

Result<SessionRecord> FileBackend::admit(Id session, const GiveLines& lines, TakenKey taken) {
  return admit_session(*home_, session, lines, taken);
}

Result<void> FileBackend::extend(Id session, Position end, std::span<const std::string> lines) {
  for (int tries = 0;; ++tries) {
    const Result<Transcript*> found = home_->transcript(session);
    if (!found) return found.error();
    home_->index().note_change(session);
    if (!(*found)->archived() || tries > 2) return (*found)->log->extend(end, lines);
    if (const auto done = unarchive(session); !done) return done;
  }
}

Result<SessionRecord> FileBackend::replace(Id session, Position end, const GiveLines& lines) {
  return replace_session(*home_, session, end, lines);
}

Result<void> FileBackend::survey(Id session, const VisitFacts& visit) {
  return with_log(session, [&](auto& log) { return log.survey(visit); });
}

Result<Position> FileBackend::locate(Id session, Id entry) {
  return with_log(session, [&](auto& log) { return log.locate(entry); });
}

Result<Damage> FileBackend::examine(Id session) {
  return with_log(session, [&](auto& log) { return log.examine(); });
}

Result<std::set<Id>> FileBackend::sift(const SessionRecord& session, const Sieve& sieve,
                                       const VisitFacts& visit) {
  return sift_transcript(home_->files(), session, sieve, visit);
}

Result<std::vector<SessionRecord>> FileBackend::list(const ListFilter& filter) {
  if (auto quick = home_->index().quick_list(filter)) return *std::move(quick);
  const Result<Index*> index = home_->index().current();
  if (!index) return index.error();
  const std::vector<const IndexEntry*> newest = newest_first(**index);
  std::vector<SessionRecord> out;
  out.reserve(filter.limit > 0 ? std::min(filter.limit, newest.size()) : newest.size());
  for (const IndexEntry* entry : newest) {
    if (!filter.cwd.empty() && entry->memory.header.cwd != filter.cwd) continue;
    if (!filter.project.empty() && entry->memory.header.project != filter.project) continue;
    if (!filter.unused_since.empty() &&
        digits_of(used_at(entry->memory.header, entry->memory.state)) >=
            digits_of(filter.unused_since))
      continue;
    out.push_back(record_of(*entry));
    if (out.size() == filter.limit) break;
  }
  return out;
}

Result<SessionRecord> FileBackend::find(std::string_view name) {
  // A whole key or id, as scripts name sessions, does not need them all.
  if (const auto exact = home_->index().find_name(name)) {
    Result<SessionRecord> record = open(*exact);
    if (record && (record->key == name || to_string(*exact) == name)) return record;
  }
  const std::optional<NameOwner> owner = home_->index().owner_of(name);
  if (owner && owner->session)
    if (Result<SessionRecord> record = open(*owner->session)) return record;
  if (!owner || owner->session) {
    const Result<Index*> index = home_->index().current();
    if (!index) return index.error();
    for (const auto& [session, entry] : (*index)->sessions)
      if (entry.key == name || to_string(session) == name) return record_of(entry);
    if (auto lost = home_->index().lost(name)) return *std::move(lost);
  }
  const Result<MigrationResult> migrated = migrate_called(*home_, name);
  return migrated ? open(migrated->session) : migrated.error();
}

void FileBackend::remember(Id session, const std::string& workspace) {
  if (!home_->is_open(session)) return;
  const Result<Transcript*> found = home_->transcript(session);
  if (!found) return;
  HomeIndex& index = home_->index();
  const IndexEntry* known = index.find(session);
  if (workspace.empty() && known != nullptr &&
      index.may_lag(known->memory.end, (*found)->memory().end)) {
    IndexEntry now = *known;
    if (HomeIndex::learn(now, **found)) index.refresh_last(session, now);
    return;
  }
  Result<IndexChange> change = index.change();
  if (!change) return;
  IndexEntry& entry = index.stored().sessions[session];
  const std::string known_as = entry.key.empty() ? "" : effective_key(entry.memory);
  if (!HomeIndex::learn(entry, **found)) return;
  if (known_as != effective_key(entry.memory)) settle_keys(index.stored());
  (void)change->save();  // a cache, which others can make as well
  if (!workspace.empty())
    index.set_last_used(workspace, session, entry);
  else
    index.refresh_last(session, entry);
}

void FileBackend::enter(Id session, const std::string& workspace) {
  HomeIndex& index = home_->index();
  if (index.is_last_used(workspace, session)) return;
  // What the index knows of it, not what stands in the file: somebody may be writing there.
  const IndexEntry* known = index.find(session);
  const IndexEntry entry = known != nullptr ? *known : IndexEntry{};
  if (const auto change = index.change()) index.set_last_used(workspace, session, entry);
}

std::optional<Id> FileBackend::last_used(const std::string& workspace) {
  return home_->index().last_used(workspace);
}

// One file for all sessions, each with a place of its own in it: nothing that could be left behind.
Result<SessionLease> FileBackend::hold(Id session, LockMode company) {
  Result<files::OpenFile> file = files::open(home_->files(), presence::at_work.lock,
                                             files::OpenAs::locker, presence::at_work.lock);
  if (!file) return file.error();
  if (const auto held = file->hold(session.value, company); !held)
    return held.error().kind == Failure::Kind::busy
               ? Failure{Failure::Kind::busy, "another process is at work in " + described(session)}
               : held.error();
  // The lock goes last: whoever sees it is told who has it.
  struct Held {
    files::OpenFile lock;
    std::optional<PresenceNote> note{};
  };
  const auto lease = std::make_shared<Held>(*std::move(file));
  if (company == LockMode::shared)
    lease->note.emplace(std::shared_ptr<files::Files>(home_, &home_->files()), presence::at_work,
                        session);
  return SessionLease(lease);
}

std::map<Id, std::string> FileBackend::at_work(std::span<const Id> sessions) {
  std::map<Id, std::string> out;
  for (const auto& [session, all] : present(home_->files(), presence::at_work, sessions)) {
    std::vector<std::string> names;
    for (const Present& each : all) names.push_back(each.who);
    out[session] = names.empty() ? "another process" : listed(names);
  }
  return out;
}

std::unique_ptr<SessionWatch> FileBackend::watch(Id session) {
  auto watch = std::make_unique<TranscriptWatch>(home_->files(), session);
  return watch->descriptor() < 0 ? nullptr : std::move(watch);
}

Result<void> FileBackend::erase(Id session) { return move_to_trash(*home_, session); }

Result<SessionRecord> FileBackend::restore(std::string_view name) {
  return restore_from_trash(*home_, name);
}

Result<std::vector<TrashedSession>> FileBackend::trash() { return list_trash(*home_); }

Result<EmptiedTrash> FileBackend::empty_trash() { return home::empty_trash(*home_); }

Result<void> FileBackend::archive(Id session) { return archive_session(*home_, session); }

Result<void> FileBackend::unarchive(Id session) { return unarchive_session(*home_, session); }

Result<std::string> FileBackend::keep_blob(std::string_view bytes) {
  return home::keep_blob(*home_, bytes);
}

Result<std::vector<std::string>> FileBackend::keep_blobs(std::span<const std::string> all) {
  return home::keep_blobs(*home_, all);
}

bool FileBackend::holds_blob(const std::string& name, std::uint64_t bytes) {
  return home::holds_blob(home_->files(), name, bytes);
}

Result<std::string> FileBackend::load_blob(const std::string& name) {
  return home::load_blob(home_->files(), name);
}

// The session that has this key after a look at all of them.
Result<NameOwner> FileBackend::owner_in(const Index& index, const std::string& key) {
  for (const auto& [session, entry] : index.sessions)
    if (entry.key == key) return NameOwner{session};
  if (auto lost = home_->index().lost(key)) return *lost;
  // A session that could not be read may have the key.
  if (home_->index().unreadable()) return *home_->index().unreadable();
  return NameOwner{};
}

// A new transcript is filled in a temporary file, so that it is there whole or not at all.
Result<Created> FileBackend::make(const SessionHeader& header, const Fill& fill) {
  if (const auto trouble = key_problem(header.key))
    return Failure{Failure::Kind::refused, *trouble};
  Result<IndexChange> change = home_->index().change();
  if (!change) return change.error();
  Index* index = nullptr;  // stays as it is, if it is large
  std::optional<NameOwner> owner;
  if (home_->index().may_lag(0, 0)) owner = home_->index().owner_of(header.key);
  if (!owner) {
    const Result<Index*> settled = change->settle();
    if (!settled) return settled.error();
    index = *settled;
    const Result<NameOwner> found = owner_in(*index, header.key);
    if (!found) return found.error();
    owner = *found;
  }
  // Its maker may have died before its name was safe.
  if (owner->session)
    return files::sync_folder(home_->files(), "transcripts", described(*owner->session))
        .and_then([&] { return open(*owner->session); })
        .and_then([](SessionRecord record) -> Result<Created> { return Created{record}; });
  log::NewTranscript transcript(home_->files(), header, "making a session");
  if (const auto done = fill(transcript); !done) return done.error();
  if (index == nullptr) home_->index().note_change(header.session);
  if (const auto done = transcript.link_into_place(); !done) return done.error();
  Result<SessionRecord> record = take_in(*home_, *change, index, transcript.memory(), header.key);
  if (!record) return record.error();
  return Created{*std::move(record), true};
}

Result<Created> FileBackend::create(const SessionHeader& header,
                                    std::span<const NewEntry> entries) {
  return make(header, [&](log::NewTranscript& transcript) -> Result<void> {
    if (entries.empty()) return {};
    if (const auto done = transcript.finish(); !done) return done;
    return log::LogWriter(home_->files(), header.session, transcript.file().temporary())
        .append_all(entries, {});
  });
}

Result<Created> FileBackend::fork(const SessionHeader& header, std::span<const ForkExtra> extras) {
  const SessionHeader::Origin from = header.parent_session.value();
  return make(header, [&](log::NewTranscript& transcript) -> Result<void> {
    return with_log(from.session, [&](auto& source) {
      return copy_fork(source, from.entry, extras, transcript);
    });
  });
}

}  // namespace skein::store::home
