// Waiting so that no signal is missed: one that arrives between a look at its flag and a plain poll
// would be noticed only with the next key. Threads started here receive no signals.
#pragma once

#include "core/text/std.h"

#include <poll.h>
#include <signal.h>

#include "core/text/io.h"

namespace skein {

enum class Wake { ready, signal, deadline };

using Deadline = std::chrono::steady_clock::time_point;
constexpr Deadline no_deadline = Deadline::max();

// Until one of `fds` is ready (its end counts; a negative one is left out, as poll does), a handled
// signal arrives or the deadline has passed. `stop` says whether a signal that arrived earlier
// still counts: signals are held back from before it is asked until the wait has begun, so none is
// lost in between. It must not block.
Wake wait(std::span<pollfd> fds, Deadline deadline, const std::function<bool()>& stop = {});

// The same for one descriptor that is to be read.
Wake wait(int fd, Deadline deadline, const std::function<bool()>& stop = {});

// The same for none at all. In the others' place `{}` would be descriptor 0, standard input: with
// something to read there, no wait at all.
Wake pause_until(Deadline deadline, const std::function<bool()>& stop = {});
Wake wait(std::initializer_list<int>, Deadline, const std::function<bool()>& = {}) = delete;

// Whether a read from it would return at once.
bool is_readable(int fd);

// Wakes a thread that waits: what it waits for has changed.
class Signal {
 public:
  explicit Signal(const char* refusal);  // throws Error with it if there is no descriptor left

  int fd() const { return fd_.get(); }  // readable from raise() until clear()
  void raise() const;                   // from any thread
  void clear() const;

 private:
  Fd fd_;
};

template <class Function>
std::thread quiet_thread(Function function) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(function));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace skein
