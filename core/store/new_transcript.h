// A transcript in the making: a temporary file beside its place, which it takes when it is whole
// and synced. Until then nobody sees it; if it never does, nothing is left of it.
#pragma once

#include <string>

#include "core/store/files.h"
#include "core/store/log.h"

namespace skein {

class NewTranscript {
 public:
  NewTranscript(Files& files, const SessionHeader& header)
      : NewTranscript(files, header, transcript_path(header.session)) {}
  NewTranscript(Files& files, const SessionHeader& header, const std::string& path);
  ~NewTranscript();
  NewTranscript(const NewTranscript&) = delete;
  NewTranscript& operator=(const NewTranscript&) = delete;

  // In the order they shall stand, parents before their children. What goes wrong is remembered;
  // the next step that can fail tells of it.
  void add(const Entry& entry);
  void add(const Found& line);  // as it stands in another transcript, only sealed anew

  void start_over();  // with nothing but the header

  int finish();             // everything is written and synced, under the temporary name
  int link_into_place();    // finishes; -EEXIST if a session is there
  int rename_into_place();  // finishes; in the place of what is there

  const std::string& temporary() const { return temporary_; }
  LogMemory memory() const { return {header_, state_, stat_, end_, last_crc_}; }

 private:
  void added(const EntryFacts& facts, std::size_t from);
  int flush();

  Files& files_;
  const SessionHeader header_;
  const std::string path_, temporary_;
  const std::uint32_t seed_;
  OpenFile file_{};
  bool there_ = false;  // the temporary file
  int failed_ = 0;
  std::string buffer_{};
  std::uint64_t end_ = 0;
  std::uint32_t last_crc_ = 0;
  SessionState state_{};
  FileStat stat_{};
};

}  // namespace skein
