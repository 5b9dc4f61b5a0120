// Keeps commands and hooks apart: a sandboxed command claims every file that it could change, a
// hook the files that it runs, and neither begins while the other has claimed the same file. Claims
// are locks on one file for all skein processes of a user and end with their process.
#pragma once

#include "core/text/std.h"

#include "core/text/io.h"

namespace skein::sandbox {

class FileClaims {
 public:
  // `file` is made when it is first needed, with its folder; empty: nothing can be claimed.
  explicit FileClaims(std::string file) : file_(std::move(file)) {}

  // The claim lasts for as long as a copy of `held` is open.
  struct Claim {
    Fd held{};
    int error = 0;  // why there is none: EAGAIN if the other side has claimed one of the files
  };
  // What a command can change: everything in its areas but what is read-only there. That can be
  // said of single files only, so of those that hooks may run. Paths are absolute, without links.
  struct Reach {
    std::vector<std::string> areas{}, read_only{}, trusted{};
  };
  // Waits a few seconds for a hook that runs one of the files, unless it is `stopped`.
  Claim by_command(const Reach& reach, const std::function<bool()>& stopped) const;
  // Files, and folders of which the names in them matter.
  Claim by_hook(const std::vector<std::string>& paths) const;

 private:
  Fd open() const;

  std::string file_;
};

}  // namespace skein::sandbox
