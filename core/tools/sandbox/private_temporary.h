// A temporary folder the commands of one session share: made when the first one runs, gone with the
// object. What a process that was killed left behind, the next one removes.
#pragma once

#include <string>

#include "core/text/fd.h"

namespace skein::tools::sandbox {

class PrivateTemporary {
 public:
  ~PrivateTemporary();

  const std::string& path();  // canonical; empty if it cannot be made

 private:
  std::string path_;
  Fd lock_;  // on the folder itself; who can take it has found a dead one
};

}  // namespace skein::tools::sandbox
