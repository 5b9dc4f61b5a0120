// A file in the making: a temporary file beside its place, which it takes when it is whole and
// synced. Until then nobody sees it; if it never does, nothing is left of it.
#pragma once

#include <string>

#include "core/store/files/files.h"

namespace skein::store::files {

class NewFile {
 public:
  NewFile(Files& files, const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // 0, or what went wrong first, now or earlier.
  int write(std::string_view bytes);
  int start_over();

  int finish();             // everything is written and synced, under the temporary name
  int link_into_place();    // finishes; -EEXIST if a file is there
  int rename_into_place();  // finishes; in the place of what is there

  const std::string& temporary() const { return temporary_; }
  const FileStat& stat() const { return stat_; }  // once it is finished

 private:
  void write_buffer();

  Files& files_;
  const std::string path_, temporary_;
  OpenFile file_{};
  bool there_ = false;  // the temporary file
  int failed_ = 0;
  std::string buffer_{};
  FileStat stat_{};
};

// Through a temporary file, synced, renamed into place, the folder synced.
int replace_file(Files& files, const std::string& path, std::string_view bytes);
// Across file systems as well; both folders synced.
int move_file(Files& files, const std::string& from, const std::string& to);

}  // namespace skein::store::files
