// Transcripts packed with gzip: how they are made, read through, and opened as if they were not.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/store/files/files.h"
#include "core/store/files/new_file.h"
#include "core/store/log/log.h"

namespace skein::store::home {

std::string archive_path(Id session);
bool is_packed(std::string_view path);
// The session a file in transcripts/ belongs to: <session id>.jsonl or <session id>.jsonl.gz
std::optional<Id> session_of_file(std::string_view name);

// The same in trash/: <session id>.<time>.jsonl, or .jsonl.gz if it was archived.
std::optional<Id> session_of_trashed(std::string_view name);

// All of a file, piece by piece, unpacked if it is packed. -EILSEQ: packed, and damaged.
int read_pieces(files::Files& files, const std::string& path, const files::Take& take);
// Packs all of an open file into a new one; `bytes` is how many there were.
int pack(files::Files& files, files::Files::Handle from, files::NewFile& to, std::uint64_t& bytes);
// Unpacks (or copies) into a new file.
int unpack(files::Files& files, const std::string& from, files::NewFile& to);
// Whether the file at `path` begins with all that is packed in `packed`.
int begins_with_packed(files::Files& files, const std::string& path, const std::string& packed,
                       bool& begins);

// A transcript opened where it rests or, of a packed one, as a copy in memory: it is read like any
// other, and never written to.
struct Transcript {
  std::unique_ptr<files::Files> copy{};  // before the log, which reads from it
  files::FileStat packed{};
  std::unique_ptr<log::Log> log{};

  bool beside_archive = false;  // an archiving or unarchiving was cut short: settle that first

  bool archived() const { return copy != nullptr; }
  log::LogMemory memory() const;  // as of the file that is on the disk
  int sync() const {
    return archived() ? 0 : log->sync();
  }  // an archive was before it got its name
  // Gone as well if it was archived or unarchived since: then it must be opened anew.
  std::optional<Failure> refresh(files::Files& files);
};
Outcome<Transcript> open_transcript(files::Files& files, Id session, const std::string& path,
                                    const log::LogMemory* memory = nullptr);
// The file that counts: of a transcript and its archive the transcript.
std::string transcript_place(files::Files& files, Id session, files::FileStat& stat, int& found);

}  // namespace skein::store::home
