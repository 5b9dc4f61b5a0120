#include "core/text/io.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace skein {

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool read_pieces(int fd, std::size_t limit, const std::function<bool(std::string_view)>& piece) {
  std::vector<char> buffer(64 * 1024);
  while (limit > 0) {
    const ssize_t count = read(fd, buffer.data(), std::min(buffer.size(), limit));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0 || !piece({buffer.data(), static_cast<std::size_t>(count)})) break;
    limit -= static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<std::string> read_all(int fd, std::size_t limit) {
  std::string bytes;
  const bool read = read_pieces(fd, limit + 1, [&](std::string_view piece) {
    bytes += piece;
    return true;
  });
  if (!read || bytes.size() > limit) return std::nullopt;
  return bytes;
}

int wait_for_child(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Fd process_descriptor(pid_t process) {
  Fd fd(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (fd) fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
  return fd;
}

Pipe make_pipe(int flags) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, flags | O_CLOEXEC) != 0) return {};
  return {Fd(ends[0]), Fd(ends[1])};
}

}  // namespace skein
