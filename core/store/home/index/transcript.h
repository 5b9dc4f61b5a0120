// A transcript opened where it rests, packed or not.
#pragma once

#include "core/store/files/named_files.h"
#include "core/store/log/log_writer.h"
#include "core/text/base.h"

namespace skein::store::home {

// Transcripts packed with gzip: how they are called, made and read through. An archive that cannot
// be unpacked is `damaged`.

std::string archive_path(Id session);
bool is_packed(std::string_view path);
// The session a file in transcripts/ belongs to: <session id>.jsonl or <session id>.jsonl.gz
std::optional<Id> session_of_file(std::string_view name);

// The same in trash/: <session id>.<time>.jsonl, or .jsonl.gz if it was archived.
std::optional<Id> session_of_trashed(std::string_view name);

// All of a file, piece by piece, unpacked if it is packed; `name` is what people call it.
Result<void> read_pieces(files::Files& files, const std::string& path, const files::Take& take,
                         const std::string& name);
// Packs all of an open file into a new one; how many bytes there were.
Result<std::uint64_t> pack(const files::OpenFile& from, files::NewFile& to);
// Unpacks (or copies) into a new file, which knows whether it could be written.
Result<void> unpack(files::Files& files, const std::string& from, files::NewFile& to,
                    const std::string& name);
// Whether the file begins with all that is packed in `packed`.
Result<bool> begins_with_packed(files::Files& files, const files::OpenFile& file,
                                const std::string& packed);

// Of a packed one a copy in memory: it is read like any other, and never written to.
struct Transcript {
  std::unique_ptr<files::Files> copy{};  // before the log, which reads from it
  files::FileStat packed{};
  std::unique_ptr<log::LogWriter> log{};

  bool beside_archive = false;  // an archiving or unarchiving was cut short: settle that first
  std::uint64_t last_use = 0;   // the largest of all: the latest; see Home

  bool archived() const { return copy != nullptr; }
  log::LogMemory memory() const;  // as of the file that is on the disk
  Result<void> sync() const;      // an archive was before it got its name
  // Gone as well if it was archived or unarchived since: then it must be opened again.
  Result<void> refresh(files::Files& files);
};
Result<Transcript> open_transcript(files::Files& files, Id session, const std::string& path,
                                   const log::LogMemory* memory = nullptr);

// The file that counts: of a transcript and its archive the transcript.
struct TranscriptPlace {
  std::string path{};
  Result<files::FileStat> stat;
};
TranscriptPlace transcript_place(files::Files& files, Id session);

}  // namespace skein::store::home
