// Archiving and unarchiving. A large session takes a minute to pack, and nobody can make a session
// while the index is locked: so it is packed first, from what the file is at that moment, and the
// locks are held for the change alone, if the file is still the same by then.
#include <algorithm>
#include <cerrno>

#include "core/store/home/file_backend.h"
#include "core/store/home/gzip.h"

namespace skein::store::home {

namespace {

constexpr int most_tries = 3;

// Packed, synced, and checked to be the very bytes. `before` is what the transcript was.
int pack_copy(files::Files& files, const std::string& plain, files::NewFile& archive,
              files::FileStat& before) {
  const int handle = files.open(plain, files::OpenAs::reader);
  if (handle < 0) return handle;
  const files::OpenFile file(files, handle);
  if (const int failed = files.stat(handle, before); failed < 0) return failed;
  const std::int64_t bytes = pack(files, handle, archive);
  if (bytes < 0) return static_cast<int>(bytes);
  if (const int failed = archive.finish(); failed < 0) return failed;
  if (static_cast<std::uint64_t>(bytes) != before.size) return -EAGAIN;
  const int same = begins_with_packed(files, plain, archive.temporary());
  return same == 0 ? -EIO : std::min(same, 0);
}

// It was written to, moved or scrubbed meanwhile, or the copy was taken for a leftover.
bool worth_another_try(int failed) {
  return failed == -EAGAIN || failed == -ENOENT || failed == -EEXIST;
}

Failure while_doing(const char* doing, Failure failure) {
  failure.text.insert(0, doing);
  return failure;
}

Failure failure_of(int failed, Id session, const char* doing) {
  if (failed == -EILSEQ)
    return {Failure::Kind::damaged, described(session) + " is archived in a damaged file"};
  if (failed == -EAGAIN)
    return {Failure::Kind::busy, described(session) + " is being written to; try again later"};
  return failure_from_errno(failed, doing + described(session));
}

}  // namespace

// A transcript and its archive, both there, are what an archiving or unarchiving that was cut short
// left behind: the transcript counts. The archive goes if all of it stands in the transcript, and
// is set aside if it does not.
Result<void> FileBackend::settle_pair(const IndexChange&, Id session) {
  files::FileStat stat;
  const std::string plain = log::transcript_path(session), packed = archive_path(session);
  for (const std::string* each : {&plain, &packed})
    if (const int found = files_->stat_path(*each, stat); found < 0)
      return found == -ENOENT ? Result<void>{} : failure_from_errno(found, described(session));
  // Whoever was cut short may not have got as far as making the transcript's name safe.
  int failed = files_->sync_folder("transcripts");
  if (failed < 0) return failure_from_errno(failed, described(session));
  const int begins = begins_with_packed(*files_, plain, packed);
  if (begins < 0 && begins != -EILSEQ) return failure_from_errno(begins, described(session));
  failed = begins > 0 ? files_->remove(packed)
                      : files::move_file(*files_, packed,
                                         "quarantine/" + to_string(session) + "." +
                                             std::to_string(now_ms()) + ".jsonl.gz");
  if (failed == 0) failed = files_->sync_folder("transcripts");
  return result_from_errno(failed, described(session));
}

// What the index says of it goes on being true: nothing was written, only the file is another.
Result<void> FileBackend::became(IndexChange& change, Id session, const files::FileStat& stat,
                                 bool archived, bool known) {
  if (known) {
    IndexEntry& entry = index_.stored().sessions[session];
    entry.memory.stat = stat;
    entry.archived = archived;
  }
  open_.erase(session);
  if (const auto done = change.finish(); !done) return done.error();
  return {};
}

Result<void> FileBackend::archive(Id session) {
  const std::string plain = log::transcript_path(session), packed = archive_path(session);
  int failed = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    files::FileStat before, now;
    {
      Result<IndexChange> change = index_.change();
      if (!change) return change.error();
      if (const auto done = settle_pair(*change, session); !done) return done.error();
      const TranscriptPlace place = transcript_place(*files_, session);
      if (!place.stat) return while_doing("archiving ", place.stat.error());
      if (is_packed(place.path)) return became(*change, session, *place.stat, true, false);
    }

    const Result<Transcript*> opened = transcript_of(session);
    if (!opened) return opened.error();
    files::NewFile archive(*files_, packed);
    failed = pack_copy(*files_, plain, archive, before);
    if (worth_another_try(failed)) continue;
    if (failed < 0) break;

    Result<IndexChange> change = index_.change();
    if (!change) return change.error();
    const Result<files::OpenFile> locked = locked_transcript(*change, session);
    if (!locked) return locked.error();
    failed = files_->stat(locked->get(), now);
    if (failed == 0 && !now.same_version(before)) failed = -EAGAIN;
    if (failed == 0) failed = archive.rename_into_place();
    if (worth_another_try(failed)) continue;
    if (failed == 0) failed = files_->remove(plain);
    if (failed == 0) failed = files_->sync_folder("transcripts");
    if (failed < 0) break;
    const Transcript& transcript = **opened;
    const bool known = transcript.memory().stat.same_version(before) &&
                       HomeIndex::learn(index_.stored().sessions[session], transcript);
    return became(*change, session, archive.stat(), true, known);
  }
  return failure_of(failed, session, "archiving ");
}

Result<void> FileBackend::unarchive(Id session) {
  const std::string plain = log::transcript_path(session), packed = archive_path(session);
  int failed = 0;
  open_.erase(session);  // it may be a copy of an archive that another process has unpacked since
  for (int tries = 0; tries < most_tries; ++tries) {
    const TranscriptPlace place = transcript_place(*files_, session);
    if (!place.stat) return while_doing("unarchiving ", place.stat.error());
    const files::FileStat& before = *place.stat;
    if (!is_packed(place.path)) {
      Result<IndexChange> change = index_.change();
      if (!change) return change.error();
      if (const auto done = settle_pair(*change, session); !done) return done.error();
      return became(*change, session, before, false, false);
    }
    files::NewFile transcript(*files_, plain);
    failed = unpack(*files_, packed, transcript);
    if (failed == 0) failed = transcript.finish();
    if (worth_another_try(failed)) continue;
    if (failed < 0) break;

    Result<IndexChange> change = index_.change();
    if (!change) return change.error();
    files::FileStat now;
    failed = files_->stat_path(packed, now);
    if (failed == 0 && !now.same_version(before)) failed = -EAGAIN;
    if (failed == 0) failed = transcript.link_into_place();
    if (worth_another_try(failed)) continue;
    if (failed == 0) failed = files_->remove(packed);
    if (failed == 0) failed = files_->sync_folder("transcripts");
    if (failed < 0) break;
    const auto known = index_.stored().sessions.find(session);
    return became(
        *change, session, transcript.stat(), false,
        known != index_.stored().sessions.end() && known->second.memory.stat.same_version(before));
  }
  return failure_of(failed, session, "unarchiving ");
}

Result<void> FileBackend::unarchive_locked(const IndexChange& change, Id session) {
  const std::string packed = archive_path(session), plain = log::transcript_path(session);
  open_.erase(session);  // it may be a copy of an archive that another process has unpacked since
  const TranscriptPlace place = transcript_place(*files_, session);
  if (!place.stat) return place.stat.error();
  if (!is_packed(place.path)) return settle_pair(change, session);
  files::NewFile transcript(*files_, plain);
  int failed = unpack(*files_, packed, transcript);
  if (failed == 0) failed = transcript.link_into_place();
  if (failed == 0) failed = files_->remove(packed);
  if (failed == 0) failed = files_->sync_folder("transcripts");
  if (failed < 0) return failure_of(failed, session, "unarchiving ");
  return {};
}

}  // namespace skein::store::home
