// Archiving and unarchiving. A large session takes a minute to pack, and nobody can make a session
// while the index is locked: so it is packed first, from what the file is at that moment, and the
// locks are held for the change alone, if the file is still the same by then.
#include <cerrno>

#include "core/store/home/file_backend.h"

namespace skein::store::home {

namespace {

constexpr int most_tries = 3;

std::string name_of(Id session) { return "session " + to_string(session); }

// Packed, synced, and checked to be the very bytes. `before` is what the transcript was.
int pack_copy(files::Files& files, const std::string& plain, files::NewFile& archive,
              files::FileStat& before) {
  const int handle = files.open(plain, files::OpenAs::reader);
  if (handle < 0) return handle;
  const files::OpenFile file(files, handle);
  std::uint64_t bytes = 0;
  bool same = false;
  int failed = files.stat(handle, before);
  if (failed == 0) failed = pack(files, handle, archive, bytes);
  if (failed == 0) failed = archive.finish();
  if (failed == 0 && bytes != before.size) return -EAGAIN;
  if (failed == 0) failed = begins_with_packed(files, plain, archive.temporary(), same);
  return failed == 0 && !same ? -EIO : failed;
}

// It was written to, moved or scrubbed meanwhile, or the copy was taken for a leftover.
bool worth_another_try(int failed) {
  return failed == -EAGAIN || failed == -ENOENT || failed == -EEXIST;
}

Failure failure_of(int failed, Id session, const char* doing) {
  if (failed == -EILSEQ)
    return {Failure::Kind::damaged, name_of(session) + " is archived in a damaged file"};
  if (failed == -EAGAIN)
    return {Failure::Kind::busy, name_of(session) + " is being written to; try again later"};
  return log::failure_from_errno(failed, doing + name_of(session));
}

}  // namespace

// A transcript and its archive, both there, are what an archiving or unarchiving that was cut short
// left behind: the transcript counts. The archive goes if all of it stands in the transcript, and
// is set aside if it does not.
std::optional<Failure> FileBackend::settle_pair(Id session) {
  files::FileStat stat;
  const std::string plain = log::transcript_path(session), packed = archive_path(session);
  for (const std::string* each : {&plain, &packed})
    if (const int found = files_->stat_path(*each, stat); found < 0)
      return found == -ENOENT ? std::nullopt
                              : std::optional(log::failure_from_errno(found, name_of(session)));
  // Whoever was cut short may not have got as far as making the transcript's name safe.
  int failed = files_->sync_folder("transcripts");
  if (failed < 0) return log::failure_from_errno(failed, name_of(session));
  bool begins = false;
  failed = begins_with_packed(*files_, plain, packed, begins);
  if (failed < 0 && failed != -EILSEQ) return log::failure_from_errno(failed, name_of(session));
  failed = begins ? files_->remove(packed)
                  : files::move_file(*files_, packed,
                                     "quarantine/" + to_string(session) + "." +
                                         std::to_string(now_ms()) + ".jsonl.gz");
  if (failed == 0) failed = files_->sync_folder("transcripts");
  if (failed < 0) return log::failure_from_errno(failed, name_of(session));
  return std::nullopt;
}

// What the index says of it goes on being true: nothing was written, only the file is another.
std::optional<Failure> FileBackend::became(Id session, const files::FileStat& stat, bool archived,
                                           bool known) {
  if (known) {
    IndexEntry& entry = index_.stored().sessions[session];
    entry.memory.stat = stat;
    entry.archived = archived;
  }
  open_.erase(session);
  index_.current_locked();
  index_.save_settled();
  return std::nullopt;
}

std::optional<Failure> FileBackend::archive(Id session) {
  const std::string plain = log::transcript_path(session), packed = archive_path(session);
  int failed = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    files::OpenFile held;
    files::FileStat stat, before, now;
    if (auto refused = index_.lock(held)) return refused;
    if (auto refused = settle_pair(session)) return refused;
    if (is_packed(transcript_place(*files_, session, stat, failed)))
      return became(session, stat, true, false);
    held.reset();
    if (failed < 0) break;

    const Outcome<Transcript*> opened = transcript_of(session);
    if (const auto* refused = std::get_if<Failure>(&opened)) return *refused;
    files::NewFile archive(*files_, packed);
    failed = pack_copy(*files_, plain, archive, before);
    if (worth_another_try(failed)) continue;
    if (failed < 0) break;

    if (auto refused = index_.lock(held)) return refused;
    const Outcome<files::OpenFile> locked = locked_transcript(session);
    if (const auto* refused = std::get_if<Failure>(&locked)) return *refused;
    failed = files_->stat(std::get<files::OpenFile>(locked).get(), now);
    if (failed == 0 && !now.same_version(before)) failed = -EAGAIN;
    if (failed == 0) failed = archive.rename_into_place();
    if (worth_another_try(failed)) continue;
    if (failed == 0) failed = files_->remove(plain);
    if (failed == 0) failed = files_->sync_folder("transcripts");
    if (failed < 0) break;
    const Transcript& transcript = *std::get<Transcript*>(opened);
    const bool known = transcript.memory().stat.same_version(before) &&
                       HomeIndex::learn(index_.stored().sessions[session], transcript) == 0;
    return became(session, archive.stat(), true, known);
  }
  return failure_of(failed, session, "archiving ");
}

std::optional<Failure> FileBackend::unarchive(Id session) {
  const std::string plain = log::transcript_path(session), packed = archive_path(session);
  int failed = 0;
  open_.erase(session);  // it may be a copy of an archive that another process has unpacked since
  for (int tries = 0; tries < most_tries; ++tries) {
    files::OpenFile held;
    files::FileStat before, now;
    if (!is_packed(transcript_place(*files_, session, before, failed))) {
      if (failed < 0) break;
      if (auto refused = index_.lock(held)) return refused;
      if (auto refused = settle_pair(session)) return refused;
      return became(session, before, false, false);
    }
    files::NewFile transcript(*files_, plain);
    failed = unpack(*files_, packed, transcript);
    if (failed == 0) failed = transcript.finish();
    if (worth_another_try(failed)) continue;
    if (failed < 0) break;

    if (auto refused = index_.lock(held)) return refused;
    failed = files_->stat_path(packed, now);
    if (failed == 0 && !now.same_version(before)) failed = -EAGAIN;
    if (failed == 0) failed = transcript.link_into_place();
    if (worth_another_try(failed)) continue;
    if (failed == 0) failed = files_->remove(packed);
    if (failed == 0) failed = files_->sync_folder("transcripts");
    if (failed < 0) break;
    const auto known = index_.stored().sessions.find(session);
    return became(
        session, transcript.stat(), false,
        known != index_.stored().sessions.end() && known->second.memory.stat.same_version(before));
  }
  return failure_of(failed, session, "unarchiving ");
}

std::optional<Failure> FileBackend::unarchive_locked(Id session) {
  files::FileStat stat;
  int failed = 0;
  const std::string packed = archive_path(session), plain = log::transcript_path(session);
  open_.erase(session);  // it may be a copy of an archive that another process has unpacked since
  if (!is_packed(transcript_place(*files_, session, stat, failed))) {
    if (failed < 0) return log::failure_from_errno(failed, name_of(session));
    return settle_pair(session);
  }
  files::NewFile transcript(*files_, plain);
  failed = unpack(*files_, packed, transcript);
  if (failed == 0) failed = transcript.link_into_place();
  if (failed == 0) failed = files_->remove(packed);
  if (failed == 0) failed = files_->sync_folder("transcripts");
  if (failed == -EILSEQ)
    return Failure{Failure::Kind::damaged, name_of(session) + " is archived in a damaged file"};
  if (failed < 0) return log::failure_from_errno(failed, "unarchiving " + name_of(session));
  return std::nullopt;
}

}  // namespace skein::store::home
