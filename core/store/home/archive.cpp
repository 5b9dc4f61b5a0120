#include "core/store/home/archive.h"

#include "core/store/files/named_files.h"
#include "core/store/files/new_file.h"
#include "core/store/home/gzip.h"

namespace skein::store::home {

namespace {

using files::FileStat;

// An attempt that did not come to its end: false if it is worth another, since the session was
// written to, moved or scrubbed meanwhile, or the copy was taken for a leftover.
Result<bool> unfinished(const Failure& failure) {
  if (failure.kind == Failure::Kind::gone) return false;
  return failure;
}

Result<void> try_often(Id session, const std::function<Result<bool>()>& attempt) {
  for (int tries = 0; tries < 3; ++tries) {
    const Result<bool> done = attempt();
    if (!done) return done.error();
    if (*done) return {};
  }
  return Failure{Failure::Kind::busy, described(session) + " is being written to; try again later"};
}

// What the index says of it goes on being true: nothing was written, only the file is another.
// `known`: it says something of the one before.
Result<bool> became(Home& home, IndexChange& change, Id session, const FileStat& stat,
                    bool archived, bool known) {
  if (known) {
    IndexEntry& entry = home.index().stored().sessions[session];
    entry.memory.stat = stat;
    entry.archived = archived;
  }
  home.forget(session);
  if (const auto done = change.finish(); !done) return done.error();
  return true;
}

// Takes away what is replaced by now.
Result<void> drop(files::Files& files, const std::string& path, const std::string& doing) {
  return files::remove(files, path, doing).and_then([&] {
    return files::sync_folder(files, "transcripts", doing);
  });
}

// Packed and synced; false if it is not all that the file was.
Result<bool> pack_copy(files::Files& files, const files::OpenFile& plain, const FileStat& before,
                       files::NewFile& archive) {
  const Result<std::uint64_t> bytes = pack(plain, archive);
  if (!bytes) return bytes.error();
  if (const auto done = archive.finish(); !done) return done.error();
  if (*bytes != before.size) return false;
  return begins_with_packed(files, plain, archive.temporary());
}

Result<bool> try_archiving(Home& home, Id session) {
  files::Files& files = home.files();
  const std::string plain = log::transcript_path(session),
                    doing = "archiving " + described(session);
  {
    Result<IndexChange> change = home.index().change();
    if (!change) return change.error();
    if (const auto done = settle_pair(home, *change, session); !done) return done.error();
    const TranscriptPlace place = transcript_place(files, session);
    if (!place.stat) return place.stat.error();
    if (is_packed(place.path)) return became(home, *change, session, *place.stat, true, false);
  }

  const Result<Transcript*> opened = home.transcript(session);
  if (!opened) return opened.error();
  const Result<files::OpenFile> file = files::open(files, plain, files::OpenAs::reader, doing);
  if (!file) return unfinished(file.error());
  const Result<FileStat> before = file->stat();
  if (!before) return before.error();
  files::NewFile archive(files, archive_path(session), doing);
  if (const auto packed = pack_copy(files, *file, *before, archive); !packed)
    return unfinished(packed.error());
  else if (!*packed)
    return false;

  Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  const Result<files::OpenFile> locked = home.lock(*change, session);
  if (!locked) return locked.error();
  const Result<FileStat> now = locked->stat();
  if (!now) return now.error();
  if (!now->same_version(*before)) return false;
  if (const auto done = archive.rename_into_place(); !done) return unfinished(done.error());
  if (const auto done = drop(files, plain, doing); !done) return done.error();
  const Transcript& transcript = **opened;
  const bool known = transcript.memory().stat.same_version(*before) &&
                     HomeIndex::learn(home.index().stored().sessions[session], transcript);
  return became(home, *change, session, archive.stat(), true, known);
}

Result<bool> try_unarchiving(Home& home, Id session) {
  files::Files& files = home.files();
  const std::string packed = archive_path(session), doing = "unarchiving " + described(session);
  const TranscriptPlace place = transcript_place(files, session);
  if (!place.stat) return place.stat.error();
  const FileStat& before = *place.stat;
  if (!is_packed(place.path)) {
    Result<IndexChange> change = home.index().change();
    if (!change) return change.error();
    if (const auto done = settle_pair(home, *change, session); !done) return done.error();
    return became(home, *change, session, before, false, false);
  }
  files::NewFile transcript(files, log::transcript_path(session), doing);
  Result<void> made = unpack(files, packed, transcript, described(session));
  if (made) made = transcript.finish();
  if (!made) return unfinished(made.error());

  Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  const TranscriptPlace now = transcript_place(files, session);
  if (!now.stat || !is_packed(now.path) || !now.stat->same_version(before)) return false;
  if (const auto done = transcript.link_into_place(); !done) return unfinished(done.error());
  if (const auto done = drop(files, packed, doing); !done) return done.error();
  const Index& index = home.index().stored();
  const auto known = index.sessions.find(session);
  return became(home, *change, session, transcript.stat(), false,
                known != index.sessions.end() && known->second.memory.stat.same_version(before));
}

}  // namespace

Result<void> settle_pair(Home& home, const IndexChange&, Id session) {
  files::Files& files = home.files();
  const std::string plain = log::transcript_path(session), packed = archive_path(session),
                    doing = described(session);
  for (const std::string& each : {plain, packed})
    if (const auto there = files::stat(files, each, doing); !there)
      return there.error().missing ? Result<void>{} : there.error();
  // Whoever was cut short may not have got as far as making the transcript's name safe.
  if (const auto done = files::sync_folder(files, "transcripts", doing); !done) return done;
  const Result<files::OpenFile> file = files::open(files, plain, files::OpenAs::reader, doing);
  if (!file) return file.error();
  const Result<bool> begins = begins_with_packed(files, *file, packed);
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
  if (!is_packed(place.path)) return settle_pair(home, change, session);
  const std::string doing = "unarchiving " + described(session);
  files::NewFile transcript(files, log::transcript_path(session), doing);
  Result<void> done = unpack(files, place.path, transcript, described(session));
  if (done) done = transcript.link_into_place();
  return done ? drop(files, place.path, doing) : done;
}

}  // namespace skein::store::home
