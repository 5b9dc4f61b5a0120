// A transcript in the making: the lines of a new file, sealed, and what they amount to.
#pragma once

#include "core/store/files/named_files.h"
#include "core/store/log/log_reader.h"

namespace skein::store::log {

class NewTranscript {
 public:
  // `doing` begins the sentence about what goes wrong.
  NewTranscript(files::Files& files, const SessionHeader& header, const std::string& doing)
      : NewTranscript(files, header, doing, transcript_path(header.session)) {}
  NewTranscript(files::Files& files, const SessionHeader& header, const std::string& doing,
                const std::string& path);

  // In the order they shall stand, parents before their children. What goes wrong is remembered
  // until it is finished.
  void add(const Entry& entry);
  void add(const ScannedLine& line);  // of another transcript, with a new seal

  void start_over();  // with nothing but the header

  // As of NewFile.
  Result<void> finish() { return sealed_ ? file_.finish() : sealed_; }
  Result<void> link_into_place() { return sealed_ ? file_.link_into_place() : sealed_; }
  Result<void> rename_into_place() { return sealed_ ? file_.rename_into_place() : sealed_; }
  files::NewFile& file() { return file_; }
  LogMemory memory() const { return {header_, state_, file_.stat(), end_, last_crc_}; }

 private:
  void write(std::string_view bytes);

  const SessionHeader header_;
  const std::uint32_t seed_;
  files::NewFile file_;
  std::uint64_t end_ = 0;
  std::uint32_t last_crc_ = 0;
  SessionState state_{};
  Result<void> sealed_{};  // or why one could not be
};

}  // namespace skein::store::log
