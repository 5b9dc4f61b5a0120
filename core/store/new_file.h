// A file in the making: a temporary file beside its place, which it takes when it is whole and
// synced. Until then nobody sees it; if it never does, nothing is left of it.
#pragma once

#include <memory>
#include <string>

#include "core/store/files.h"

namespace skein {

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
  // Where a disk can fetch it from.
  struct alignas(4096) Page {
    char bytes[4096];
  };
  using Block = std::unique_ptr<Page[]>;
  void write_block();
  void await_written();

  Files& files_;
  const std::string path_, temporary_;
  OpenFile file_{};
  bool there_ = false;  // the temporary file
  int failed_ = 0;
  // One is filled while the other is written.
  Block filling_{}, writing_{};
  std::size_t filled_ = 0;
  std::future<int> written_{};
  FileStat stat_{};
};

// Through a temporary file, synced, renamed into place, the folder synced.
int replace_file(Files& files, const std::string& path, std::string_view bytes);
// Across file systems as well; both folders synced.
int move_file(Files& files, const std::string& from, const std::string& to);

}  // namespace skein
