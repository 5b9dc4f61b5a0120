// Wakes a thread that waits with poll: what it waits for has changed.
#pragma once

#include "core/text/fd.h"

namespace skein::mcp {

class Signal {
 public:
  Signal();  // throws Error if there is no descriptor left

  int fd() const { return fd_.get(); }  // readable from raise() until clear()
  void raise() const;                   // from any thread
  void clear() const;

 private:
  Fd fd_;
};

}  // namespace skein::mcp
