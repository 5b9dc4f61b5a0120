// A process that outlives us by a moment: when we are killed it ends the program we were running.
// The kernel's own signal for that reaches one process only, and bubblewrap asks for it late: what
// it has started by then would sleep or run on for ever.
#pragma once

#include <sys/types.h>

#include "core/text/fd.h"

namespace skein::tools::sandbox {

class Warden {
 public:
  // Before the program is started. `status`: where bubblewrap tells the number of its first process
  // inside ("child-pid"), which leads a group of its own; -1: there is none.
  explicit Warden(int status);
  ~Warden();  // its duty is over

  void watch_over(pid_t group);

 private:
  pid_t pid_ = -1;
  Fd line_;  // it ends with us
};

}  // namespace skein::tools::sandbox
