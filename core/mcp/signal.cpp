#include "core/mcp/signal.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "core/text/base.h"

namespace skein::mcp {

Signal::Signal() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!fd_) throw Error("cannot wait for servers: too many open files?");
}

// A counter that is full is as good as raised, one at zero as good as cleared.
void Signal::raise() const {
  const std::uint64_t one = 1;
  if (write(fd_.get(), &one, sizeof one) < 0) return;
}

void Signal::clear() const {
  std::uint64_t count = 0;
  if (read(fd_.get(), &count, sizeof count) < 0) return;
}

}  // namespace skein::mcp
