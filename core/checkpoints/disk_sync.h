// What a restore changed, brought to the disk: few files one by one, many together with everything
// else in their file system, which takes one wait instead of one for each.
#pragma once

#include <map>
#include <string>

#include "core/text/fd.h"
#include "core/tools/workspace/file_id.h"
#include "core/tools/workspace/staged_file.h"

namespace skein::checkpoints {

class DiskSync {
 public:
  enum class Extent { nothing, each_file, file_systems };
  explicit DiskSync(Extent extent) : extent_(extent) {}

  Extent extent() const { return extent_; }
  // How a file is to be written that is in one of the folders.
  tools::workspace::StagedFile::Sync of_files() const;
  void add(int folder);  // in which a name changed
  // Those added since the beginning. Empty: they are on the disk; else what went wrong.
  std::string sync() const;

 private:
  Extent extent_;
  // Open. Of each file system the first, if all of it is synced.
  std::map<tools::workspace::FileId, Fd> folders_{};
};

}  // namespace skein::checkpoints
