#include "core/tools/sandbox/warden.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "core/text/io.h"

namespace skein::tools::sandbox {

namespace {

// The first number in the text. Only async-signal-safe calls after a fork, so no library's parser.
pid_t number_in(const char* text, ssize_t length) {
  pid_t number = 0;
  for (ssize_t i = 0; i < length; ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (digit)
      number = number * 10 + (text[i] - '0');
    else if (number > 0)
      break;
  }
  return number;
}

ssize_t read_some(int fd, char* into, std::size_t room) {
  ssize_t got = -1;
  while ((got = read(fd, into, room)) < 0 && errno == EINTR) {
  }
  return got;
}

[[noreturn]] void keep_watch(int line, int status) {
  setsid();  // the terminal's keys are not for it
  dup2(line, 0);
  if (status >= 0) dup2(status, 1);
  if (syscall(SYS_close_range, status >= 0 ? 2u : 1u, ~0u, 0u) != 0)
    for (int fd = status >= 0 ? 2 : 1; fd < 4096; ++fd) close(fd);
  pid_t group = 0;
  std::array<char, 256> buffer;
  if (read_some(0, reinterpret_cast<char*>(&group), sizeof group) != sizeof group) _exit(0);
  while (read_some(0, buffer.data(), buffer.size()) > 0) {
  }
  if (group > 1) kill(-group, SIGKILL);
  // It is told before the process inside may go on, so it is there or was in the group.
  if (status >= 0) {
    const pid_t inside = number_in(buffer.data(), read_some(1, buffer.data(), buffer.size()));
    if (inside > 1) kill(inside, SIGKILL);
  }
  _exit(0);
}

}  // namespace

Warden::Warden(int status) {
  Pipe line = make_pipe();
  if (!line.read) return;
  line_ = std::move(line.write);
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);  // our handlers mean us
  pid_ = fork();
  if (pid_ == 0) keep_watch(line.read.get(), status);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

Warden::~Warden() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  wait_for_child(pid_);
}

void Warden::watch_over(pid_t group) {
  if (line_ && write(line_.get(), &group, sizeof group) < 0) line_.reset();
}

}  // namespace skein::tools::sandbox
