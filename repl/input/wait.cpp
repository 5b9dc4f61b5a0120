#include "repl/input/wait.h"

#include <poll.h>

#include <csignal>

namespace skein {

namespace {

sigset_t those_that_wake() {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGCONT}) sigaddset(&set, each);
  return set;
}

}  // namespace

Wake wait_for_input(int fd, std::optional<std::chrono::milliseconds> pause,
                    const std::function<bool()>& due) {
  const sigset_t blocked = those_that_wake();
  sigset_t open;
  sigprocmask(SIG_BLOCK, &blocked, &open);
  Wake wake = Wake::signal;
  if (!(due && due())) {
    pollfd input{fd, POLLIN, 0};
    timespec time{};
    if (pause) {
      time.tv_sec = static_cast<time_t>(pause->count() / 1000);
      time.tv_nsec = static_cast<long>(pause->count() % 1000) * 1'000'000;
    }
    const int ready = ppoll(&input, 1, pause ? &time : nullptr, &open);
    wake = ready > 0 ? Wake::input : ready == 0 ? Wake::pause : Wake::signal;
  }
  sigprocmask(SIG_SETMASK, &open, nullptr);
  return wake;
}

}  // namespace skein
