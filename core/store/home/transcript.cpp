#include "core/store/home/transcript.h"

#include "core/store/files/named_files.h"
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
  return Failure{Failure::Kind::gone, described(session) + " is in another file now"};
}

Result<Transcript> open_transcript(files::Files& files, Id session, const std::string& path,
                                   const log::LogMemory* memory) {
  Transcript out;
  if (is_packed(path)) {
    const std::string name = described(session);
    const Result<files::FileStat> packed = files::stat(files, path, name);
    if (!packed) return packed.error();
    out.packed = *packed;
    out.copy = files::memory_files();
    out.copy->make_folder("transcripts");
    files::NewFile copy(*out.copy, log::transcript_path(session), name);
    Result<void> done = unpack(files, path, copy, name);
    if (done) done = copy.link_into_place();
    if (!done) return done.error();
    out.log = std::make_unique<log::LogWriter>(*out.copy, session);
  } else {
    out.log = std::make_unique<log::LogWriter>(files, session, path);
  }
  if (const auto done = out.log->refresh(memory); !done) return done.error();
  return out;
}

TranscriptPlace transcript_place(files::Files& files, Id session) {
  const std::string plain = log::transcript_path(session), packed = archive_path(session);
  const auto look = [&](const std::string& path) -> TranscriptPlace {
    return {path, files::stat(files, path, described(session))};
  };
  const auto missing = [](const TranscriptPlace& place) {
    return !place.stat && place.stat.error().missing;
  };
  TranscriptPlace place = look(plain);
  if (!missing(place)) return place;
  place = look(packed);
  return missing(place) ? look(plain) : place;  // one may become the other as we look
}

}  // namespace skein::store::home
