// Folders whose files other programs write, and the files that have changed (inotify). Folders that
// appear later, or are deleted and made again, are followed as well. Where the kernel has no more
// watches to give, they are not, and incomplete() says so.
#pragma once

#include "core/text/std.h"

#include "core/text/io.h"

namespace skein::importers {

class FolderWatch {
 public:
  FolderWatch();

  // With everything below, links excepted. One that is not there is waited for in its parent.
  void add(const std::string& folder);

  int descriptor() const { return events_.get(); }  // readable when something changed; -1: never
  // What changed since it was last asked; a folder means everything in it.
  std::set<std::string> changed();
  bool incomplete() const { return incomplete_; }

 private:
  // Each returns true if the folder is there and was not followed before.
  bool seek(const std::string& folder);
  bool follow(const std::string& folder);

  struct Watched {
    std::string folder{};
    bool followed = false;  // else it is only watched for a folder that is to appear in it
  };

  Fd events_;
  std::map<int, Watched> watches_{};
  std::set<std::string> wanted_{};  // that were added
  bool incomplete_ = false;
};

}  // namespace skein::importers
