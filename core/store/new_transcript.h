// A transcript in the making: the lines of a new file, sealed, and what they amount to.
#pragma once

#include <string>

#include "core/store/log.h"
#include "core/store/new_file.h"

namespace skein {

class NewTranscript {
 public:
  NewTranscript(Files& files, const SessionHeader& header)
      : NewTranscript(files, header, transcript_path(header.session)) {}
  NewTranscript(Files& files, const SessionHeader& header, const std::string& path);

  // In the order they shall stand, parents before their children. What goes wrong the file
  // remembers.
  void add(const Entry& entry);
  void add(const Found& line);  // as it stands in another transcript, only sealed anew

  void start_over();  // with nothing but the header

  NewFile& file() { return file_; }
  LogMemory memory() const { return {header_, state_, file_.stat(), end_, last_crc_}; }

 private:
  void write(std::string_view bytes);

  const SessionHeader header_;
  const std::uint32_t seed_;
  NewFile file_;
  std::uint64_t end_ = 0;
  std::uint32_t last_crc_ = 0;
  SessionState state_{};
};

}  // namespace skein
