#include "app/invocation/signals.h"

#include <unistd.h>

namespace skein::app {

// No SA_RESTART: a signal must end a wait.
void catch_signals() {
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    if (signal != SIGINT) leave_asked() = true;
    stop_asked() = true;
    ++stop_count();
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

std::atomic<bool>& stop_asked() {
  static std::atomic<bool> asked{false};
  static_assert(std::atomic<bool>::is_always_lock_free);
  return asked;
}

std::atomic<unsigned>& stop_count() {
  static std::atomic<unsigned> count{0};
  static_assert(std::atomic<unsigned>::is_always_lock_free);
  return count;
}

std::atomic<bool>& leave_asked() {
  static std::atomic<bool> asked{false};
  return asked;
}

bool attended() { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

}  // namespace skein::app
