#include "core/store/home/file_backend.h"

#include <algorithm>
#include <cerrno>
#include <set>

#include "core/store/home/blobs.h"
#include "core/store/home/fork.h"
#include "core/store/home/gzip.h"
#include "core/store/home/legacy.h"
#include "core/store/log/seal.h"
#include "core/text/log.h"

namespace skein::store::home {

FileBackend::FileBackend(std::unique_ptr<files::Files> files, HomeIndex::Tell tell)
    : files_(std::move(files)), index_(*files_, std::move(tell)) {
  for (const char* folder : {"transcripts", "quarantine", "trash"}) {
    const int made = files_->make_folder(folder);
    files::FileStat stat;
    const std::string name = std::string("the home's folder ") + folder;
    // On a read-only disk what is there can still be read.
    if (const int there = files_->stat_path(folder, stat); there < 0)
      throw Error(failure_from_errno(made < 0 ? made : there, name).text, ExitStatus::storage);
    if (stat.kind != files::FileStat::Kind::folder)
      throw Error(failure_from_errno(ELOOP, name).text, ExitStatus::storage);
  }
}

SessionRecord FileBackend::record_of(const Transcript& transcript) {
  const log::LogMemory memory = transcript.memory();
  const IndexEntry* known = index_.find(memory.header.session);
  const bool same = known != nullptr && effective_key(known->memory) == effective_key(memory);
  return {same ? known->key : effective_key(memory),
          memory.header,
          memory.state,
          memory.stat.size,
          transcript.archived(),
          memory.damage};
}

Result<Transcript*> FileBackend::transcript_of(Id session) {
  if (const auto open = open_.find(session); open != open_.end()) {
    const Result<void> refreshed = open->second.refresh(*files_);
    if (refreshed) return &open->second;
    open_.erase(open);
    if (refreshed.error().kind != Failure::Kind::gone) return refreshed.error();
  }
  const IndexEntry* known = index_.find(session);
  for (int tries = 0;; ++tries) {
    files::FileStat stat;
    const TranscriptPlace place = transcript_place(*files_, session);
    Result<Transcript> opened =
        open_transcript(*files_, session, place.path, known == nullptr ? nullptr : &known->memory);
    if (opened) {
      Transcript& transcript = open_[session] = *std::move(opened);
      transcript.beside_archive =
          !transcript.archived() && files_->stat_path(archive_path(session), stat) == 0;
      return &transcript;
    }
    // Found, and then not there: it was archived or unarchived in between.
    if (!place.stat || opened.error().kind != Failure::Kind::gone || tries > 2)
      return opened.error();
  }
}

Result<log::Log*> FileBackend::log_of(Id session) {
  const Result<Transcript*> transcript = transcript_of(session);
  if (!transcript) return transcript.error();
  return (*transcript)->log.get();
}

Result<SessionRecord> FileBackend::open(Id session) {
  const Result<Transcript*> transcript = transcript_of(session);
  if (!transcript) return transcript.error();
  return record_of(**transcript);
}

Result<AppendResult> FileBackend::append(Id session, std::span<const NewEntry> entries,
                                         const AppendOptions& options) {
  for (int tries = 0;; ++tries) {
    // Not through transcript_of: append brings itself up to date, once it holds the lock.
    const auto open = open_.find(session);
    const Result<Transcript*> found =
        open != open_.end() ? Result<Transcript*>(&open->second) : transcript_of(session);
    if (!found) {
      // It may be kept in an older form: then it is migrated first, or not written to.
      const Failure& failed = found.error();
      if (tries > 0 ||
          (failed.kind != Failure::Kind::damaged && failed.kind != Failure::Kind::gone))
        return failed;
      const Result<MigrationResult> migrated = migrate(session);
      if (!migrated)
        return migrated.error().kind == Failure::Kind::gone ? failed : migrated.error();
      continue;
    }
    if ((*found)->archived()) {
      if (const auto done = unarchive(session); !done) return done.error();
      continue;
    }
    if ((*found)->beside_archive) {
      Result<IndexChange> change = index_.change();
      if (!change) return change.error();
      if (const auto done = settle_pair(*change, session); !done) return done.error();
      (*found)->beside_archive = false;
    }
    Result<AppendResult> outcome = (*found)->log->append(entries, options);
    // Gone may mean that it was archived while it was open here. A log that is not is kept: it
    // knows what it could not take back.
    files::FileStat stat;
    if (outcome || outcome.error().kind != Failure::Kind::gone || tries > 2 ||
        files_->stat_path(log::transcript_path(session), stat) != -ENOENT)
      return outcome;
    open_.erase(session);
  }
}

Result<void> FileBackend::load(Id session, model::Position from,
                               const std::function<bool(const StoredEntry&)>& each) {
  const Result<log::Log*> log = log_of(session);
  if (!log) return log.error();
  return (*log)->each(from, each);
}

Result<void> FileBackend::survey(Id session,
                                 const std::function<void(const model::EntryFacts&)>& each) {
  const Result<log::Log*> log = log_of(session);
  if (!log) return log.error();
  return (*log)->survey(each);
}

Result<void> FileBackend::load_back(Id session, std::optional<model::Position> from,
                                    const std::function<bool(const StoredEntry&)>& each) {
  const Result<log::Log*> log = log_of(session);
  if (!log) return log.error();
  return (*log)->each_back(from, each);
}

Result<StoredEntry> FileBackend::load_at(Id session, model::Position at) {
  const Result<log::Log*> log = log_of(session);
  if (!log) return log.error();
  return (*log)->at(at);
}

Result<model::Position> FileBackend::locate(Id session, Id entry) {
  const Result<log::Log*> log = log_of(session);
  if (!log) return log.error();
  return (*log)->locate(entry);
}

Result<Damage> FileBackend::examine(Id session) {
  const Result<log::Log*> log = log_of(session);
  if (!log) return log.error();
  return (*log)->examine();
}

DamageCount FileBackend::damage_met(Id session) {
  const auto open = open_.find(session);
  return open == open_.end() ? DamageCount{} : open->second.log->damage_met();
}

Result<std::vector<SessionRecord>> FileBackend::list() {
  const Result<Index*> index = index_.current();
  if (!index) return index.error();
  std::vector<SessionRecord> out;
  out.reserve((*index)->sessions.size());
  for (const IndexEntry* entry : newest_first(**index)) {
    SessionRecord& record = out.emplace_back();  // filled in place: it is large
    record.key = entry->key;
    record.header = entry->memory.header;
    record.state = entry->memory.state;
    record.bytes = entry->memory.stat.size;
    record.archived = entry->archived;
    record.damage = entry->memory.damage;
  }
  return out;
}

std::optional<Id> FileBackend::find_key(std::string_view key) { return index_.find_key(key); }

Result<std::vector<StorageBackend::Stray>> FileBackend::strays() {
  std::vector<std::string> names;
  files_->list("transcripts", names);
  std::ranges::sort(names);
  std::vector<Stray> out;
  for (const std::string& name : names) {
    const std::optional<Id> id = session_of_file(name);
    if (id) {
      const Result<Transcript> opened = open_transcript(*files_, *id, "transcripts/" + name);
      if (opened) continue;
      out.push_back({name, opened.error().text});
    } else {
      out.push_back({name, name.ends_with(".tmp") ? "left behind by a process that died"
                                                  : "not a name skein gives"});
    }
    const std::optional<Id> legacy = session_of_legacy(name);
    std::string bytes;
    if (legacy && files::read_whole(*files_, "transcripts/" + name, bytes, 1u << 30) == 0)
      if (const auto found = read_legacy(*legacy, bytes))
        out.back().why =
            "a session in an older form (" + found->form + "); `skein doctor --repair` migrates it";
  }
  // What stood there once is worth more than what can be seen now.
  const Result<Index*> index = index_.current();
  if (!index) return index.error();
  for (const auto& [session, entry] : (*index)->lost) {
    const std::string name = to_string(session) + ".jsonl";
    const auto there = std::ranges::find_if(
        out, [&](const Stray& each) { return each.name == name || each.name == name + ".gz"; });
    Stray& stray = there == out.end() ? out.emplace_back(Stray{.name = name}) : *there;
    stray.why = index_.lost(entry.key)->text;
  }
  return out;
}

std::optional<Failure> FileBackend::lost(std::string_view key) { return index_.lost(key); }

Result<std::size_t> FileBackend::rebuild_index() {
  Result<IndexChange> change = index_.change();
  if (!change) return change.error();
  index_.forget_all();
  const Result<Index*> index = change->settle();
  if (!index) return index.error();
  if (const auto done = change->save(); !done) return done.error();
  log_warning("index rebuilt", {{"sessions", (*index)->sessions.size()}});
  return (*index)->sessions.size();
}

void FileBackend::remember(Id session, const std::string& workspace) {
  if (!open_.contains(session)) return;
  const Result<Transcript*> found = transcript_of(session);
  if (!found) return;
  Result<IndexChange> change = index_.change();
  if (!change) return;
  Index& index = index_.stored();
  IndexEntry& entry = index.sessions[session];
  const std::string known_as = entry.key.empty() ? "" : effective_key(entry.memory);
  if (!HomeIndex::learn(entry, **found)) return;
  if (known_as != effective_key(entry.memory)) settle_keys(index);
  (void)change->save();  // a cache, which others can make as well
  if (!workspace.empty())
    index_.set_last_used(workspace, session, entry);
  else
    index_.refresh_last(session, entry);
}

void FileBackend::enter(Id session, const std::string& workspace) {
  if (index_.is_last_used(workspace, session)) return;
  // What the index knows of it, not what stands in the file: somebody may be writing there.
  const IndexEntry* known = index_.find(session);
  const IndexEntry entry = known != nullptr ? *known : IndexEntry{};
  if (const auto change = index_.change()) index_.set_last_used(workspace, session, entry);
}

std::optional<Id> FileBackend::last_used(const std::string& workspace) {
  return index_.last_used(workspace);
}

Result<std::string> FileBackend::keep_blob(std::string_view bytes) {
  return skein::store::home::keep_blob(*files_, index_, bytes);
}

Result<std::string> FileBackend::load_blob(const std::string& name) {
  return skein::store::home::load_blob(*files_, name);
}

Result<PrunedBlobs> FileBackend::prune_blobs(bool only_look) {
  return skein::store::home::prune_blobs(*files_, index_, only_look);
}

// A new transcript is filled in a temporary file, so that it is there whole or not at all.
Result<Created> FileBackend::make(const SessionHeader& header, const Fill& fill) {
  if (const auto trouble = key_problem(header.key))
    return Failure{Failure::Kind::refused, *trouble};
  Result<IndexChange> change = index_.change();
  if (!change) return change.error();
  const Result<Index*> index = change->settle();
  if (!index) return index.error();
  for (const auto& [session, entry] : (*index)->sessions)
    if (entry.key == header.key) {
      // Whoever made it may have died before its name was safe.
      if (const int synced = files_->sync_folder("transcripts"); synced < 0)
        return failure_from_errno(synced, "session " + to_string(session));
      Result<SessionRecord> record = open(session);
      if (!record) return record.error();
      return Created{*std::move(record)};
    }
  if (auto lost = index_.lost(header.key)) return *lost;
  // A session that could not be read may have the key.
  if (index_.unreadable()) return *index_.unreadable();

  log::NewTranscript transcript(*files_, header);
  if (const auto done = fill(transcript); !done) return done.error();
  if (const auto done = transcript.link_into_place("making a session"); !done) return done.error();
  // Not through transcript_of: that asks the index, which might be read anew before it is written.
  const log::LogMemory memory = transcript.memory();
  Result<Transcript> opened =
      open_transcript(*files_, header.session, log::transcript_path(header.session), &memory);
  if (!opened) return opened.error();
  Transcript& open = open_[header.session] = *std::move(opened);
  (*index)->sessions[header.session] = {open.memory(), false, header.key};
  (void)change->save_moved();
  return Created{record_of(open), true};
}

Result<Created> FileBackend::create(const SessionHeader& header,
                                    std::span<const NewEntry> entries) {
  const Fill append_all = [&](log::NewTranscript& transcript) -> Result<void> {
    if (entries.empty()) return {};
    if (const auto done = transcript.finish("making a session"); !done) return done.error();
    log::Log log(*files_, header.session, transcript.file().temporary());
    for (std::span<const NewEntry> left = entries; !left.empty();) {
      std::size_t count = 0, bytes = 0;
      while (count < std::min(left.size(), log::max_batch_entries) &&
             bytes < log::max_batch_bytes / 4)
        bytes += left[count++].entry.payload.size();
      const Result<AppendResult> outcome = log.append(left.first(count), {});
      if (!outcome) return outcome.error();
      left = left.subspan(count);
    }
    return {};
  };
  return make(header, append_all);
}

Result<Created> FileBackend::fork(const SessionHeader& header, std::span<const ForkExtra> asides) {
  const SessionHeader::Origin from = header.parent_session.value();
  const Fill copy = [&](log::NewTranscript& transcript) -> Result<void> {
    const Result<log::Log*> source = log_of(from.session);
    if (!source) return source.error();
    std::set<Id> wanted, there;
    for (const ForkExtra& aside : asides)
      if (aside.about) wanted.insert(*aside.about);
    if (const auto done = copy_path(**source, from.entry, transcript,
                                    [&](Id id) {
                                      if (!wanted.empty() && wanted.contains(id)) there.insert(id);
                                    });
        !done)
      return done.error();
    for (const ForkExtra& aside : asides)
      if (!aside.about || there.contains(*aside.about)) transcript.add(aside.entry);
    return {};
  };
  return make(header, copy);
}

}  // namespace skein::store::home
