// A file in the making: a temporary file beside its place, which it takes when it is whole and
// synced. Until then nobody sees it; if it never does, nothing is left of it.
#pragma once

#include <string>
#include <string_view>

#include "core/store/files/open_file.h"

namespace skein::store::files {

class NewFile {
 public:
  // `doing` begins the sentence about what goes wrong.
  NewFile(Files& files, const std::string& path, const std::string& doing);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // What goes wrong is remembered until it is finished; false: something did, now or earlier.
  bool write(std::string_view bytes);
  void start_over();

  Result<void> finish();             // everything is written and synced, under the temporary name
  Result<void> finish_unsynced();    // the same for one who syncs many files at once
  Result<void> link_into_place();    // finishes; fails if a file is there
  Result<void> rename_into_place();  // finishes; in the place of what is there

  // Finished before; the caller syncs the folder.
  Result<void> rename_unsynced();

  const std::string& temporary() const { return temporary_; }
  const FileStat& stat() const { return stat_; }  // once it is finished

 private:
  void write_out(std::string_view bytes);

  Files& files_;
  const std::string path_, temporary_, doing_;
  OpenFile file_{};
  bool there_ = false;  // the temporary file
  Result<void> done_{};
  std::string buffer_{};
  FileStat stat_{};
};

}  // namespace skein::store::files
