// A copy of a folder for trying something in, removed with the object. If the process is killed,
// the next one that makes such a copy removes it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/tools/sandbox/private_temporary.h"

namespace skein::checkpoints {

// What changes when a file is written to, replaced, or given another mode.
struct FileStamp {
  std::uint64_t inode = 0, size = 0, mode = 0;
  std::int64_t modified_ns = 0, changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

class ScratchCopy {
 public:
  // Without what is in `leave_out` (absolute), and without devices, pipes and sockets. Throws Error
  // if it cannot be made.
  ScratchCopy(const std::string& folder, const std::vector<std::string>& leave_out);

  // Makes the copy what the folder was when this object was made, whatever happened in either of
  // them since. Copies only files that were touched. Throws Error if it cannot.
  void reset();
  const std::string& path() const { return path_; }  // canonical; exists after the first reset()

 private:
  tools::sandbox::PrivateTemporary place_;
  std::string original_{}, path_{};
  std::unordered_map<std::string, FileStamp>
      untouched_{};  // files of the copy as reset() left them
};

}  // namespace skein::checkpoints
