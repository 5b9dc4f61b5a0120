// The life of a session as a whole: thrown away and brought back, rebuilt. All of it happens while
// the index is locked, and what is moved while its own lock is held.
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "core/model/payloads.h"
#include "core/store/files/new_file.h"
#include "core/store/home/file_backend.h"
#include "core/store/home/gzip.h"
#include "core/store/home/repair.h"
#include "core/store/session_name.h"
#include "core/text/log.h"

namespace skein::store::home {

namespace {

constexpr int lock_patience_ms = 10'000;
constexpr std::int64_t latest_time = 10'000'000'000'000;  // beyond that, it is no time of ours

// <session id>.<time>.jsonl
std::int64_t time_of_trashed(const std::string& file) {
  return std::strtoll(file.c_str() + std::min<std::size_t>(file.size(), 17), nullptr, 10);
}

}  // namespace

// An append that is under way is finished first; one that waits finds the session gone. Whoever
// puts another file in its place holds the index too, so what is locked here is what the path
// means.
Result<files::OpenFile> FileBackend::locked_transcript(const IndexChange&, Id session) {
  files::FileStat held;
  const int handle = files_->open(transcript_place(*files_, session).path, files::OpenAs::appender);
  if (handle < 0) return failure_from_errno(handle, described(session));
  files::OpenFile file(*files_, handle);
  if (const int locked = files_->lock(handle, lock_patience_ms); locked < 0)
    return failure_from_errno(locked, described(session));
  if (files_->stat(handle, held) < 0 || held.kind != files::FileStat::Kind::file)
    return failure_from_errno(EISDIR, described(session));
  return file;
}

// One file for all sessions, each with a place of its own in it: nothing that could be left behind.
Result<SessionLease> FileBackend::hold(Id session, LockMode company) {
  const int handle = files_->open("work.lock", files::OpenAs::locker);
  if (handle < 0) return failure_from_errno(handle, "work.lock");
  files::OpenFile file(*files_, handle);
  if (const int held = files_->hold(handle, session.value, company); held < 0)
    return held == -EBUSY
               ? Failure{Failure::Kind::busy, "another process is at work in " + described(session)}
               : failure_from_errno(held, "work.lock");
  return SessionLease(std::make_shared<files::OpenFile>(std::move(file)));
}

Result<void> FileBackend::erase(Id session) {
  Result<IndexChange> change = index_.change();
  if (!change) return change.error();
  if (const auto done = settle_pair(*change, session); !done) return done.error();
  const Result<files::OpenFile> file = locked_transcript(*change, session);
  if (!file) return file.error();
  const std::string place = transcript_place(*files_, session).path;
  // Later than all that was thrown away before, whatever the clock says: the last one comes back
  // first.
  std::int64_t time = now_ms();
  std::vector<std::string> names;
  if (const int listed = files_->list("trash", names); listed < 0)
    return failure_from_errno(listed, "the trash");
  for (const std::string& name : names)
    if (session_of_trashed(name) && time_of_trashed(name) < latest_time)
      time = std::max(time, time_of_trashed(name) + 1);
  const std::string trashed = "trash/" + to_string(session) + "." + std::to_string(time) +
                              (is_packed(place) ? ".jsonl.gz" : ".jsonl");
  if (const int moved = files::move_file(*files_, place, trashed); moved < 0)
    return failure_from_errno(moved, "moving " + described(session) + " to the trash");
  open_.erase(session);
  const Result<Index*> index = change->settle();
  if (!index) return index.error();
  (*index)->sessions.erase(session);
  (void)change->save_moved();
  return {};
}

Result<SessionRecord> FileBackend::restore(std::string_view name) {
  Result<IndexChange> change = index_.change();
  if (!change) return change.error();
  std::vector<std::string> names;
  if (const int failed = files_->list("trash", names); failed < 0)
    return failure_from_errno(failed, "the trash");
  // What was thrown away last comes first: <session id>.<time>.jsonl
  std::ranges::sort(names, std::greater{}, time_of_trashed);
  for (const std::string& file : names) {
    const std::optional<Id> session = session_of_trashed(file);
    if (!session) continue;
    const Result<Transcript> opened = open_transcript(*files_, *session, "trash/" + file);
    const bool meant =
        opened ? means(name, effective_key(opened->memory()), *session, opened->log->state().title)
               : means(name, "", *session, "");
    if (!meant) continue;
    if (transcript_place(*files_, *session).stat)
      return Failure{Failure::Kind::refused,
                     described(*session) + " is there already; nothing was restored"};
    const std::string place =
        is_packed(file) ? archive_path(*session) : log::transcript_path(*session);
    if (const int moved = files::move_file(*files_, "trash/" + file, place); moved < 0)
      return failure_from_errno(moved, "restoring from the trash");
    return settle_restored(*change, *session);
  }
  return Failure{Failure::Kind::gone, "nothing in the trash is called '" + std::string(name) + "'"};
}

// Its key may have been taken while it was away: then it gets another, and the transcript says so.
Result<SessionRecord> FileBackend::settle_restored(IndexChange& change, Id session) {
  Result<Transcript*> found = transcript_of(session);
  if (!found) return found.error();
  const std::string own = effective_key((*found)->memory());
  const Result<Index*> index = change.settle();
  if (!index) return index.error();
  const auto taken = [&](const std::string& key) {
    return std::ranges::any_of((*index)->sessions, [&](const auto& each) {
      return each.first != session && effective_key(each.second.memory) == key;
    });
  };
  std::string key = own;
  for (int number = 2; taken(key); ++number) key = own + "." + std::to_string(number);
  if (key != own) {
    const NewEntry renamed{model::make_entry(model::payload::Key{key})};
    if (const auto done = unarchive_locked(change, session); !done) return done.error();
    const Result<AppendResult> appended = append(session, std::span(&renamed, 1), {});
    if (!appended) return appended.error();
    found = transcript_of(session);
    if (!found) return found.error();
  }
  const Transcript& transcript = **found;
  if (const auto done = change.settle(); !done) return done.error();
  (*index)->sessions[session] = {transcript.memory(), transcript.archived(), key};
  settle_keys(**index);  // while it had no key of its own yet, it may have been given another's
  (void)change.save_moved();
  return record_of(transcript);
}

Result<EmptiedTrash> FileBackend::empty_trash() {
  Result<IndexChange> change = index_.change();
  if (!change) return change.error();
  std::vector<std::string> names;
  if (const int failed = files_->list("trash", names); failed < 0)
    return failure_from_errno(failed, "the trash");
  EmptiedTrash out;
  for (const std::string& name : names) {
    if (!session_of_trashed(name) && !name.ends_with(".tmp")) continue;
    files::FileStat stat;
    files_->stat_path("trash/" + name, stat);
    if (const int removed = files_->remove("trash/" + name); removed < 0)
      return failure_from_errno(removed, "emptying the trash");
    out.sessions += session_of_trashed(name) ? 1 : 0;
    out.bytes += stat.size;
  }
  if (const int synced = files_->sync_folder("trash"); synced < 0)
    return failure_from_errno(synced, "emptying the trash");
  return out;
}

Result<std::string> FileBackend::repair(Id session) {
  Result<IndexChange> change = index_.change();
  if (!change) return change.error();
  const Result<files::OpenFile> locked = locked_transcript(*change, session);
  if (!locked) return locked.error();
  const Result<Transcript*> found = transcript_of(session);
  if (!found) return found.error();
  const Transcript& transcript = **found;
  const Result<Damage> examined = transcript.log->examine();
  if (!examined) return examined.error();
  if (!examined->header_damaged) return std::string{};
  if (transcript.archived())
    return Failure{Failure::Kind::read_only,
                   described(session) + " is archived; unarchive it before it is repaired"};

  // What the damaged line still says, else what the index remembers.
  SessionHeader header = transcript.log->header();
  if (const IndexEntry* known = index_.find(session); known != nullptr && header.key.empty())
    header = known->memory.header;
  if (header.version > format_version)
    return Failure{Failure::Kind::unsupported_version,
                   described(session) + " was written by a newer skein; it was left as it is"};
  header.session = session;
  if (header.key.empty()) header.key = "main:recovered:" + to_string(session);
  Result<std::string> rebuilt = rebuild_transcript(*files_, *transcript.log, header);
  if (!rebuilt) return rebuilt;
  log_warning("repair", {{"session", to_string(session)}, {"kept_as", *rebuilt}});
  open_.erase(session);
  if (const auto done = change->finish(); !done) return done.error();
  return rebuilt;
}

Result<std::vector<std::string>> FileBackend::remove_leftovers() {
  Result<IndexChange> change = index_.change();
  if (!change) return change.error();
  return skein::store::home::remove_leftovers(*files_);
}

}  // namespace skein::store::home
