#include "core/store/home/archive.h"

#include "core/store/session_name.h"

namespace skein::store::home {

namespace {

constexpr std::int64_t latest_time = 10'000'000'000'000;  // beyond that, it is no time of ours

// <session id>.<time>.jsonl
std::int64_t time_of_trashed(const std::string& file) {
  return std::strtoll(file.c_str() + std::min<std::size_t>(file.size(), 17), nullptr, 10);
}

Result<void> take_out(files::Files& files, const std::string& file, Id session) {
  const std::string place = is_packed(file) ? archive_path(session) : log::transcript_path(session);
  return files::move_file(files, "trash/" + file, place, "restoring from the trash");
}

Result<SessionRecord> index_restored(Home& home, IndexChange& change, Id session) {
  Transcript* found = TRY(home.transcript(session));
  const std::string own = effective_key(found->memory());
  Index* index = TRY(change.refresh());
  const std::string key = free_key(*index, session, own);
  if (key != own) {
    TRY(unarchive_locked(home, change, session));
    found = TRY(home.transcript(session));
    const NewEntry renamed{model::make_entry(payload::Key{key})};
    TRY(found->log->append(std::span(&renamed, 1), {}));
  }
  const Transcript& transcript = *found;
  TRY(change.refresh());
  index->sessions[session] = {transcript.memory(), transcript.archived(), key};
  assign_keys(*index);  // while it had no own key yet, it may have been given another's
  (void)change.save_moved();
  return home.record_of(transcript);
}

// Those that work for a session come back with it.
Result<void> restore_children(Home& home, IndexChange& change, Id parent,
                              const std::vector<std::string>& trashed) {
  files::Files& files = home.files();
  for (const std::string& file : trashed) {
    const std::optional<Id> session = session_of_trashed(file);
    if (!session || *session == parent) continue;
    if (const Result<Transcript> opened = open_transcript(files, *session, "trash/" + file);
        !opened || !works_for(opened->memory().header, effective_key(opened->memory()), parent) ||
        transcript_place(files, *session).stat)
      continue;
    TRY(take_out(files, file, *session));
    TRY(index_restored(home, change, *session));
  }
  return {};
}

using files::FileStat;

// An attempt that did not come to its end: false if it is worth another, since the session was
// written to, moved or scrubbed while it was packed, or the copy was taken for a leftover.
Result<bool> unfinished(const Failure& failure) {
  if (failure.kind == Failure::Kind::gone) return false;
  return failure;
}

Result<void> try_often(Id session, const std::function<Result<bool>()>& attempt) {
  for (int tries = 0; tries < 3; ++tries) {
    const bool done = TRY(attempt());
    if (done) return {};
  }
  return Failure{Failure::Kind::busy, described(session) + " is being written to; try again later"};
}

// What the index says of it is still true: nothing was written, only the file is another.
// `known`: it says something of the one before.
Result<bool> became(Home& home, IndexChange& change, Id session, const FileStat& stat,
                    bool archived, bool known) {
  if (known) {
    IndexEntry& entry = home.index().stored().sessions[session];
    entry.memory.stat = stat;
    entry.archived = archived;
  }
  home.forget(session);
  TRY(change.finish());
  return true;
}

// Takes away what is replaced by now.
Result<void> drop(files::Files& files, const std::string& path, const std::string& doing) {
  TRY(files::remove(files, path, doing));
  return files::sync_folder(files, "transcripts", doing);
}

// Packed and synced; false if it is not all that the file was.
Result<bool> pack_copy(files::Files& files, const files::OpenFile& plain, const FileStat& before,
                       files::NewFile& archive) {
  const std::uint64_t bytes = TRY(pack(plain, archive));
  TRY(archive.finish());
  if (bytes != before.size) return false;
  return begins_with_packed(files, plain, archive.temporary());
}

Result<bool> try_archiving(Home& home, Id session) {
  files::Files& files = home.files();
  const std::string plain = log::transcript_path(session),
                    doing = "archiving " + described(session);
  {
    IndexChange change = TRY(home.index().change());
    TRY(resolve_pair(home, change, session));
    const TranscriptPlace place = transcript_place(files, session);
    if (!place.stat) return place.stat.error();
    if (is_packed(place.path)) return became(home, change, session, *place.stat, true, false);
  }

  Transcript* opened = TRY(home.transcript(session));
  const Result<files::OpenFile> file = files::open(files, plain, files::OpenAs::reader, doing);
  if (!file) return unfinished(file.error());
  const FileStat before = TRY(file->stat());
  files::NewFile archive(files, archive_path(session), doing);
  if (const auto packed = pack_copy(files, *file, before, archive); !packed)
    return unfinished(packed.error());
  else if (!*packed)
    return false;

  IndexChange change = TRY(home.index().change());
  const files::OpenFile locked = TRY(home.lock(change, session));
  const FileStat now = TRY(locked.stat());
  if (!now.same_version(before)) return false;
  if (const auto done = archive.rename_into_place(); !done) return unfinished(done.error());
  TRY(drop(files, plain, doing));
  const Transcript& transcript = *opened;
  const bool known = transcript.memory().stat.same_version(before) &&
                     HomeIndex::learn(home.index().stored().sessions[session], transcript);
  return became(home, change, session, archive.stat(), true, known);
}

Result<bool> try_unarchiving(Home& home, Id session) {
  files::Files& files = home.files();
  const std::string packed = archive_path(session), doing = "unarchiving " + described(session);
  const TranscriptPlace place = transcript_place(files, session);
  if (!place.stat) return place.stat.error();
  const FileStat& before = *place.stat;
  if (!is_packed(place.path)) {
    IndexChange change = TRY(home.index().change());
    TRY(resolve_pair(home, change, session));
    return became(home, change, session, before, false, false);
  }
  files::NewFile transcript(files, log::transcript_path(session), doing);
  Result<void> made = unpack(files, packed, transcript, described(session));
  if (made) made = transcript.finish();
  if (!made) return unfinished(made.error());

  IndexChange change = TRY(home.index().change());
  const TranscriptPlace now = transcript_place(files, session);
  if (!now.stat || !is_packed(now.path) || !now.stat->same_version(before)) return false;
  if (const auto done = transcript.link_into_place(); !done) return unfinished(done.error());
  TRY(drop(files, packed, doing));
  const Index& index = home.index().stored();
  const auto known = index.sessions.find(session);
  return became(home, change, session, transcript.stat(), false,
                known != index.sessions.end() && known->second.memory.stat.same_version(before));
}

}  // namespace

Result<void> move_to_trash(Home& home, Id session) {
  files::Files& files = home.files();
  IndexChange change = TRY(home.index().change());
  TRY(resolve_pair(home, change, session));
  const files::OpenFile file = TRY(home.lock(change, session));
  const std::vector<std::string> names = TRY(files::list(files, "trash"));
  // Later than all that was thrown away before, whatever the clock says: the last one comes back
  // first.
  std::int64_t time = now_ms();
  for (const std::string& name : names)
    if (session_of_trashed(name) && time_of_trashed(name) < latest_time)
      time = std::max(time, time_of_trashed(name) + 1);
  const std::string place = transcript_place(files, session).path;
  const std::string trashed = "trash/" + to_string(session) + "." + std::to_string(time) +
                              (is_packed(place) ? ".jsonl.gz" : ".jsonl");
  const std::string doing = "moving " + described(session) + " to the trash";
  TRY(files::move_file(files, place, trashed, doing));
  home.forget(session);
  Index* index = TRY(change.refresh());
  index->sessions.erase(session);
  (void)change.save_moved();
  return {};
}

Result<SessionRecord> restore_from_trash(Home& home, std::string_view name) {
  files::Files& files = home.files();
  IndexChange change = TRY(home.index().change());
  std::vector<std::string> names = TRY(files::list(files, "trash"));
  std::ranges::sort(names, std::greater{}, time_of_trashed);
  for (const std::string& file : names) {
    const std::optional<Id> session = session_of_trashed(file);
    if (!session) continue;
    const Result<Transcript> opened = open_transcript(files, *session, "trash/" + file);
    const bool meant =
        opened ? means(name, effective_key(opened->memory()), *session, opened->log->state().title)
               : means(name, "", *session, "");
    if (!meant) continue;
    if (transcript_place(files, *session).stat)
      return Failure{Failure::Kind::refused,
                     described(*session) + " exists already; nothing was restored"};
    TRY(take_out(files, file, *session));
    SessionRecord back = TRY(index_restored(home, change, *session));
    TRY(restore_children(home, change, *session, names));
    return back;
  }
  return Failure{Failure::Kind::gone, "nothing in the trash is called '" + std::string(name) + "'"};
}

Result<std::vector<TrashedSession>> list_trash(Home& home) {
  files::Files& files = home.files();
  std::vector<std::string> names = TRY(files::list(files, "trash"));
  std::ranges::sort(names, std::greater{}, time_of_trashed);
  std::vector<TrashedSession> out;
  for (const std::string& file : names) {
    const std::optional<Id> session = session_of_trashed(file);
    if (!session) continue;
    TrashedSession one{.session = *session, .thrown_away_ms = time_of_trashed(file)};
    if (const auto stat = files::stat(files, "trash/" + file)) one.bytes = stat->size;
    // One that cannot be read is listed all the same: it can be restored by its id.
    if (const Result<Transcript> opened = open_transcript(files, *session, "trash/" + file)) {
      const log::LogMemory memory = opened->memory();
      one.key = effective_key(memory);
      one.title = memory.state.title;
      one.messages = memory.state.messages;
      one.used_at = used_at(memory.header, memory.state);
    }
    out.push_back(std::move(one));
  }
  return out;
}

Result<EmptiedTrash> empty_trash(Home& home) {
  files::Files& files = home.files();
  const std::string doing = "emptying the trash";
  const IndexChange change = TRY(home.index().change());
  const std::vector<std::string> names = TRY(files::list(files, "trash"));
  EmptiedTrash out;
  for (const std::string& name : names) {
    if (!session_of_trashed(name) && !name.ends_with(".tmp")) continue;
    const auto stat = files::stat(files, "trash/" + name);
    TRY(files::remove(files, "trash/" + name, doing));
    out.sessions += session_of_trashed(name) ? 1 : 0;
    out.bytes += stat ? stat->size : 0;
  }
  TRY(files::sync_folder(files, "trash", doing));
  return out;
}

Result<void> resolve_pair(Home& home, const IndexChange&, Id session) {
  files::Files& files = home.files();
  const std::string plain = log::transcript_path(session), packed = archive_path(session),
                    doing = described(session);
  for (const std::string& each : {plain, packed})
    if (const auto there = files::stat(files, each, doing); !there)
      return there.error().missing ? Result<void>{} : there.error();
  // An interrupted process may not have got as far as making the transcript's name safe.
  TRY(files::sync_folder(files, "transcripts", doing));
  const files::OpenFile file = TRY(files::open(files, plain, files::OpenAs::reader, doing));
  const Result<bool> begins = begins_with_packed(files, file, packed);
  if (!begins && begins.error().kind != Failure::Kind::damaged) return begins.error();
  if (begins && *begins) return drop(files, packed, doing);
  return files::move_file(
      files, packed,
      "quarantine/" + to_string(session) + "." + std::to_string(now_ms()) + ".jsonl.gz", doing);
}

Result<void> archive_session(Home& home, Id session) {
  return try_often(session, [&] { return try_archiving(home, session); });
}

// It may be open as a copy of an archive that another process has unpacked since.
Result<void> unarchive_session(Home& home, Id session) {
  home.forget(session);
  return try_often(session, [&] { return try_unarchiving(home, session); });
}

Result<void> unarchive_locked(Home& home, const IndexChange& change, Id session) {
  files::Files& files = home.files();
  home.forget(session);
  const TranscriptPlace place = transcript_place(files, session);
  if (!place.stat) return place.stat.error();
  if (!is_packed(place.path)) return resolve_pair(home, change, session);
  const std::string doing = "unarchiving " + described(session);
  files::NewFile transcript(files, log::transcript_path(session), doing);
  TRY(unpack(files, place.path, transcript, described(session)));
  TRY(transcript.link_into_place());
  return drop(files, place.path, doing);
}

}  // namespace skein::store::home
