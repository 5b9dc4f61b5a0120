#include "core/store/home/transcript.h"

#include <cerrno>

#include "core/store/files/new_file.h"
#include "core/store/home/gzip.h"

namespace skein::store::home {

log::LogMemory Transcript::memory() const {
  log::LogMemory memory = log->memory();
  if (archived()) memory.stat = packed;
  return memory;
}

Result<void> Transcript::sync() const { return archived() ? Result<void>{} : log->sync(); }

Result<void> Transcript::refresh(files::Files& files) {
  if (!archived()) return log->refresh();
  const Id session = log->header().session;
  const TranscriptPlace place = transcript_place(files, session);
  if (!place.stat) return place.stat.error();
  if (is_packed(place.path) && place.stat->same_version(packed)) return {};
  return failure_from_errno(ENOENT, "session " + to_string(session));
}

Result<Transcript> open_transcript(files::Files& files, Id session, const std::string& path,
                                   const log::LogMemory* memory) {
  Transcript out;
  if (is_packed(path)) {
    const std::string name = "session " + to_string(session);
    out.copy = files::memory_files();
    out.copy->make_folder("transcripts");
    if (const int failed = files.stat_path(path, out.packed); failed < 0)
      return failure_from_errno(failed, name);
    files::NewFile copy(*out.copy, log::transcript_path(session));
    int failed = unpack(files, path, copy);
    if (failed == 0) failed = copy.link_into_place();
    if (failed == -EILSEQ)
      return Failure{Failure::Kind::damaged, name + " is archived in a damaged file"};
    if (failed < 0) return failure_from_errno(failed, name);
    out.log = std::make_unique<log::Log>(*out.copy, session);
  } else {
    out.log = std::make_unique<log::Log>(files, session, path);
  }
  if (const auto done = out.log->refresh(memory); !done) return done.error();
  return out;
}

TranscriptPlace transcript_place(files::Files& files, Id session) {
  files::FileStat stat;
  std::string path = log::transcript_path(session);
  int found = files.stat_path(path, stat);
  if (found == -ENOENT) {
    std::string packed = archive_path(session);
    found = files.stat_path(packed, stat);
    if (found == -ENOENT)
      found = files.stat_path(path, stat);  // one may become the other as we look
    else
      path = std::move(packed);
  }
  if (found < 0)
    return {std::move(path), failure_from_errno(found, "session " + to_string(session)),
            found == -ENOENT};
  return {std::move(path), stat};
}

}  // namespace skein::store::home
