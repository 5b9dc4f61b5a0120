// A transcript opened where it rests, packed or not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/store/log/log_writer.h"

namespace skein::store::home {

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
  // Gone as well if it was archived or unarchived since: then it must be opened anew.
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
