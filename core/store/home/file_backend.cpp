#include "core/store/home/file_backend.h"

#include <algorithm>
#include <cerrno>
#include <set>

#include "core/store/home/blobs.h"
#include "core/store/home/fork.h"
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
      throw Error(log::failure_from_errno(made < 0 ? made : there, name).text, ExitStatus::storage);
    if (stat.kind != files::FileStat::Kind::folder)
      throw Error(log::failure_from_errno(ELOOP, name).text, ExitStatus::storage);
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

Outcome<Transcript*> FileBackend::transcript_of(Id session) {
  if (const auto open = open_.find(session); open != open_.end()) {
    const std::optional<Failure> failed = open->second.refresh(*files_);
    if (!failed) return &open->second;
    open_.erase(open);
    if (failed->kind != Failure::Kind::gone) return *failed;
  }
  const IndexEntry* known = index_.find(session);
  for (int tries = 0;; ++tries) {
    files::FileStat stat;
    int found = 0;
    const std::string place = transcript_place(*files_, session, stat, found);
    Outcome<Transcript> opened =
        open_transcript(*files_, session, place, known == nullptr ? nullptr : &known->memory);
    const auto* failed = std::get_if<Failure>(&opened);
    if (failed == nullptr) {
      Transcript& transcript = open_[session] = std::get<Transcript>(std::move(opened));
      transcript.beside_archive =
          !transcript.archived() && files_->stat_path(archive_path(session), stat) == 0;
      return &transcript;
    }
    // Found, and then not there: it was archived or unarchived in between.
    if (found < 0 || failed->kind != Failure::Kind::gone || tries > 2) return *failed;
  }
}

Outcome<log::Log*> FileBackend::log_of(Id session) {
  const Outcome<Transcript*> transcript = transcript_of(session);
  if (const auto* failed = std::get_if<Failure>(&transcript)) return *failed;
  return std::get<Transcript*>(transcript)->log.get();
}

Outcome<SessionRecord> FileBackend::open(Id session) {
  const Outcome<Transcript*> transcript = transcript_of(session);
  if (const auto* failed = std::get_if<Failure>(&transcript)) return *failed;
  return record_of(*std::get<Transcript*>(transcript));
}

Outcome<AppendResult> FileBackend::append(Id session, std::span<const NewEntry> entries,
                                          const AppendOptions& options) {
  for (int tries = 0;; ++tries) {
    // Not through transcript_of: append brings itself up to date, once it holds the lock.
    const auto open = open_.find(session);
    const Outcome<Transcript*> found =
        open != open_.end() ? Outcome<Transcript*>(&open->second) : transcript_of(session);
    if (const auto* failed = std::get_if<Failure>(&found)) {
      // It may be kept in an older form: then it is migrated first, or not written to.
      if (tries > 0 ||
          (failed->kind != Failure::Kind::damaged && failed->kind != Failure::Kind::gone))
        return *failed;
      const Outcome<MigrationResult> migrated = migrate(session);
      if (const auto* why = std::get_if<Failure>(&migrated))
        return why->kind == Failure::Kind::gone ? *failed : *why;
      continue;
    }
    if (std::get<Transcript*>(found)->archived()) {
      if (auto failed = unarchive(session)) return *failed;
      continue;
    }
    if (std::get<Transcript*>(found)->beside_archive) {
      files::OpenFile held;
      if (auto failed = index_.lock(held)) return *failed;
      if (auto failed = settle_pair(session)) return *failed;
      std::get<Transcript*>(found)->beside_archive = false;
    }
    Outcome<AppendResult> outcome = std::get<Transcript*>(found)->log->append(entries, options);
    const auto* failed = std::get_if<Failure>(&outcome);
    // Gone may mean that it was archived while it was open here. A log that is not is kept: it
    // knows what it could not take back.
    files::FileStat stat;
    if (failed == nullptr || failed->kind != Failure::Kind::gone || tries > 2 ||
        files_->stat_path(log::transcript_path(session), stat) != -ENOENT)
      return outcome;
    open_.erase(session);
  }
}

std::optional<Failure> FileBackend::load(Id session, model::Position from,
                                         const std::function<bool(const StoredEntry&)>& each) {
  const Outcome<log::Log*> log = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return std::get<log::Log*>(log)->each(from, each);
}

std::optional<Failure> FileBackend::survey(
    Id session, const std::function<void(const model::EntryFacts&)>& each) {
  const Outcome<log::Log*> log = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return std::get<log::Log*>(log)->survey(each);
}

std::optional<Failure> FileBackend::load_back(Id session, std::optional<model::Position> from,
                                              const std::function<bool(const StoredEntry&)>& each) {
  const Outcome<log::Log*> log = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return std::get<log::Log*>(log)->each_back(from, each);
}

Outcome<StoredEntry> FileBackend::load_at(Id session, model::Position at) {
  const Outcome<log::Log*> log = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return std::get<log::Log*>(log)->at(at);
}

Outcome<model::Position> FileBackend::locate(Id session, Id entry) {
  const Outcome<log::Log*> log = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return std::get<log::Log*>(log)->locate(entry);
}

Outcome<Damage> FileBackend::examine(Id session) {
  const Outcome<log::Log*> log = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return std::get<log::Log*>(log)->examine();
}

DamageCount FileBackend::damage_met(Id session) {
  const auto open = open_.find(session);
  return open == open_.end() ? DamageCount{} : open->second.log->damage_met();
}

std::vector<SessionRecord> FileBackend::list() {
  const Index& index = index_.current();
  std::vector<SessionRecord> out;
  out.reserve(index.sessions.size());
  for (const IndexEntry* entry : newest_first(index)) {
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

std::vector<StorageBackend::Stray> FileBackend::strays() {
  std::vector<std::string> names;
  files_->list("transcripts", names);
  std::ranges::sort(names);
  std::vector<Stray> out;
  for (const std::string& name : names) {
    const std::optional<Id> id = session_of_file(name);
    if (id) {
      const Outcome<Transcript> opened = open_transcript(*files_, *id, "transcripts/" + name);
      const auto* failed = std::get_if<Failure>(&opened);
      if (failed == nullptr) continue;
      out.push_back({name, failed->text});
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
  for (const auto& [session, entry] : index_.current().lost) {
    const std::string name = to_string(session) + ".jsonl";
    const auto there = std::ranges::find_if(
        out, [&](const Stray& each) { return each.name == name || each.name == name + ".gz"; });
    Stray& stray = there == out.end() ? out.emplace_back(Stray{.name = name}) : *there;
    stray.why = index_.lost(entry.key)->text;
  }
  return out;
}

std::optional<Failure> FileBackend::lost(std::string_view key) { return index_.lost(key); }

std::size_t FileBackend::rebuild_index() {
  files::OpenFile held;
  if (auto failed = index_.lock(held)) throw Error(failed->text, ExitStatus::storage);
  index_.forget_all();
  const std::size_t count = index_.current_locked().sessions.size();
  if (const int saved = index_.save(); saved < 0)
    throw Error(log::failure_from_errno(saved, "sessions.json").text, ExitStatus::storage);
  log_warning("index rebuilt", {{"sessions", count}});
  return count;
}

void FileBackend::remember(Id session, const std::string& workspace) {
  if (!open_.contains(session)) return;
  const Outcome<Transcript*> found = transcript_of(session);
  if (std::holds_alternative<Failure>(found)) return;
  files::OpenFile held;
  if (index_.lock(held)) return;
  Index& index = index_.stored();
  IndexEntry& entry = index.sessions[session];
  const std::string known_as = entry.key.empty() ? "" : effective_key(entry.memory);
  if (HomeIndex::learn(entry, *std::get<Transcript*>(found)) < 0) return;
  if (known_as != effective_key(entry.memory)) settle_keys(index);
  index_.save();
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
  files::OpenFile held;
  if (!index_.lock(held)) index_.set_last_used(workspace, session, entry);
}

std::optional<Id> FileBackend::last_used(const std::string& workspace) {
  return index_.last_used(workspace);
}

Outcome<std::string> FileBackend::keep_blob(std::string_view bytes) {
  return skein::store::home::keep_blob(*files_, index_, bytes);
}

Outcome<std::string> FileBackend::load_blob(const std::string& name) {
  return skein::store::home::load_blob(*files_, name);
}

Outcome<PrunedBlobs> FileBackend::prune_blobs(bool only_look) {
  return skein::store::home::prune_blobs(*files_, index_, only_look);
}

// A new transcript is filled in a temporary file, so that it is there whole or not at all.
Outcome<SessionRecord> FileBackend::make(const SessionHeader& header, const Fill& fill,
                                         bool& made) {
  made = false;
  if (const auto trouble = key_problem(header.key))
    return Failure{Failure::Kind::refused, *trouble};
  files::OpenFile held;
  if (auto failed = index_.lock(held)) return *failed;
  Index& index = index_.current_locked();
  for (const auto& [session, entry] : index.sessions)
    if (entry.key == header.key) {
      // Whoever made it may have died before its name was safe.
      if (const int synced = files_->sync_folder("transcripts"); synced < 0)
        return log::failure_from_errno(synced, "session " + to_string(session));
      return open(session);
    }
  if (auto failed = index_.lost(header.key)) return *failed;
  // A session that could not be read may have the key.
  if (index_.unreadable()) return *index_.unreadable();

  log::NewTranscript transcript(*files_, header);
  if (auto failed = fill(transcript)) return *failed;
  if (const int placed = transcript.file().link_into_place(); placed < 0)
    return log::failure_from_errno(placed, "making a session");
  // Not through transcript_of: that asks the index, which might be read anew before it is written.
  const log::LogMemory memory = transcript.memory();
  Outcome<Transcript> opened =
      open_transcript(*files_, header.session, log::transcript_path(header.session), &memory);
  if (const auto* failed = std::get_if<Failure>(&opened)) return *failed;
  Transcript& open = open_[header.session] = std::get<Transcript>(std::move(opened));
  made = true;
  index.sessions[header.session] = {open.memory(), false, header.key};
  index_.save_settled();
  return record_of(open);
}

Outcome<SessionRecord> FileBackend::create(const SessionHeader& header,
                                           std::span<const NewEntry> entries, bool& made) {
  const Fill append_all = [&](log::NewTranscript& transcript) -> std::optional<Failure> {
    if (entries.empty()) return std::nullopt;
    if (const int failed = transcript.file().finish(); failed < 0)
      return log::failure_from_errno(failed, "making a session");
    log::Log log(*files_, header.session, transcript.file().temporary());
    for (std::span<const NewEntry> left = entries; !left.empty();) {
      std::size_t count = 0, bytes = 0;
      while (count < std::min(left.size(), log::max_batch_entries) &&
             bytes < log::max_batch_bytes / 4)
        bytes += left[count++].entry.payload.size();
      const Outcome<AppendResult> outcome = log.append(left.first(count), {});
      if (const auto* failed = std::get_if<Failure>(&outcome)) return *failed;
      left = left.subspan(count);
    }
    return std::nullopt;
  };
  return make(header, append_all, made);
}

Outcome<SessionRecord> FileBackend::fork(const SessionHeader& header,
                                         std::span<const ForkExtra> asides, bool& made) {
  const SessionHeader::Origin from = header.parent_session.value();
  const Fill copy = [&](log::NewTranscript& transcript) -> std::optional<Failure> {
    const Outcome<log::Log*> source = log_of(from.session);
    if (const auto* failed = std::get_if<Failure>(&source)) return *failed;
    std::set<Id> wanted, there;
    for (const ForkExtra& aside : asides)
      if (aside.about) wanted.insert(*aside.about);
    if (auto failed = copy_path(*std::get<log::Log*>(source), from.entry, transcript, [&](Id id) {
          if (!wanted.empty() && wanted.contains(id)) there.insert(id);
        }))
      return failed;
    for (const ForkExtra& aside : asides)
      if (!aside.about || there.contains(*aside.about)) transcript.add(aside.entry);
    return std::nullopt;
  };
  return make(header, copy, made);
}

}  // namespace skein::store::home
