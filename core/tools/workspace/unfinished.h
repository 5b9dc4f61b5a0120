// Notes on temporary files in the workspace, kept outside of it while they exist. If skein is
// killed, the next one finds there what is left and clears it away without searching.
#pragma once

#include <sys/stat.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "core/text/fd.h"

namespace skein::tools::workspace {

class Unfinished {
 public:
  // About files below `root`. The note is a file in `folder` (empty: nothing is noted), locked
  // while this lives and removed with it. It survives the process, not a power cut.
  Unfinished(std::string root, std::string folder)
      : root_(std::move(root)), folder_(std::move(folder)) {}
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  // Paths below the root. A temporary file that was never in the place holds nothing of others.
  void staged(const std::string& temporary, const std::string& place);
  // From now on the temporary name may hold what was in the place: to be deleted only if it is one
  // of these versions.
  void moved(const std::string& temporary, const std::string& place,
             std::initializer_list<struct stat> deletable);

  // What killed processes left: deleted, or if another program had saved it, put back or set
  // aside. Returns a sentence on each file that was not deleted.
  static std::vector<std::string> clear(const std::string& folder);

 private:
  void write(const std::string& temporary, const std::string& place, const std::string& versions);

  std::string root_, folder_;
  std::string file_{};
  Fd note_{};
};

}  // namespace skein::tools::workspace
