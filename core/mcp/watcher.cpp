#include "core/mcp/watcher.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace skein::mcp {

void Watcher::until(Deadline deadline) {
  // Without a keyboard to watch, a stop is looked for so often.
  constexpr std::chrono::milliseconds glance{20};
  std::array<pollfd, 2> fds{{{signal_.fd(), POLLIN, 0}, {wake_fd_, POLLIN, 0}}};
  if (wake_fd_ < 0) deadline = std::min(deadline, std::chrono::steady_clock::now() + glance);
  if (wait(fds, deadline, ports_.stopped) != Wake::ready) return;
  if (fds[0].revents != 0) signal_.clear();
  // Awake but not stopped: if asking has not emptied that descriptor, nothing will.
  if (fds[1].revents != 0 && !ports_.stopped() && is_readable(wake_fd_)) wake_fd_ = -1;
}

}  // namespace skein::mcp
