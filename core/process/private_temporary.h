// A temporary folder, such as the commands of one session share: made when it is first asked for,
// gone with the object. What a process that was killed left behind, the next one removes.
#pragma once

#include "core/text/std.h"

#include "core/text/io.h"

namespace skein::process {

// Removes what can be removed, also in folders without write permission; follows no links.
void remove_tree(const std::filesystem::path& path);

class PrivateTemporary {
 public:
  PrivateTemporary() = default;  // where temporary files go
  // In `above`; those whose name begins with `prefix` are ours.
  PrivateTemporary(std::string above, std::string prefix)
      : above_(std::move(above)), prefix_(std::move(prefix)) {}
  ~PrivateTemporary();
  PrivateTemporary(const PrivateTemporary&) = delete;
  PrivateTemporary& operator=(const PrivateTemporary&) = delete;

  const std::string& path();  // canonical; empty if it cannot be made
  // As long as it is open somewhere, only skein removes the folder; -1: there is none.
  int lock() const { return lock_.get(); }
  // It stays when we go: something still works in it, and holds the lock.
  void leave() { path_.clear(); }

 private:
  std::string above_{}, prefix_ = "skein-";
  std::string path_{};
  Fd lock_;  // on the folder itself; who can take it has found a dead one
};

}  // namespace skein::process
