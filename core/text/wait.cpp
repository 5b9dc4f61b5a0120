#include "core/text/wait.h"

#include <sys/eventfd.h>

#include "core/text/base.h"

namespace skein {

namespace {

class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int each : {SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGCONT}) sigaddset(&held, each);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  const sigset_t* before() const { return &before_; }

 private:
  sigset_t before_{};
};

Wake poll_until(std::span<pollfd> fds, Deadline deadline, const sigset_t* mask) {
  using namespace std::chrono;
  timespec time{};
  if (deadline != no_deadline) {
    const Deadline now = steady_clock::now();
    const nanoseconds left = deadline > now ? deadline - now : nanoseconds(0);
    time.tv_sec = static_cast<time_t>(left / seconds(1));
    time.tv_nsec = static_cast<long>(left % seconds(1) / nanoseconds(1));
  }
  const int ready = ppoll(fds.data(), fds.size(), deadline == no_deadline ? nullptr : &time, mask);
  return ready > 0 ? Wake::ready : ready == 0 ? Wake::deadline : Wake::signal;
}

}  // namespace

Wake wait(std::span<pollfd> fds, Deadline deadline, const std::function<bool()>& stop) {
  if (!stop) return poll_until(fds, deadline, nullptr);
  const HeldSignals held;
  return stop() ? Wake::signal : poll_until(fds, deadline, held.before());
}

Wake wait(int fd, Deadline deadline, const std::function<bool()>& stop) {
  pollfd input{fd, POLLIN, 0};
  return wait({&input, 1}, deadline, stop);
}

Wake pause_until(Deadline deadline, const std::function<bool()>& stop) {
  return wait(std::span<pollfd>{}, deadline, stop);
}

bool is_readable(int fd) { return wait(fd, Deadline::min()) == Wake::ready; }

Signal::Signal(const char* refusal) : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!fd_) throw Error(refusal);
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

}  // namespace skein
