// A copy of a folder for trying something in, gone with the object.
#pragma once

#include <string>
#include <vector>

namespace skein::checkpoints {

class ScratchCopy {
 public:
  // Without what is in `leave_out` (absolute), and without devices, pipes and sockets. Throws Error
  // if it cannot be made.
  ScratchCopy(const std::string& folder, const std::vector<std::string>& leave_out);
  ~ScratchCopy();
  ScratchCopy(const ScratchCopy&) = delete;
  ScratchCopy& operator=(const ScratchCopy&) = delete;

  const std::string& path() const { return path_; }  // canonical

 private:
  std::string path_{};
};

}  // namespace skein::checkpoints
