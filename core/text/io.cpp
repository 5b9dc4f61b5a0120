#include "core/text/io.h"

#include "core/text/std.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

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

std::optional<std::string> read_up_to(int fd, std::size_t limit) {
  std::string bytes;
  const bool read = read_pieces(fd, limit, [&](std::string_view piece) {
    bytes += piece;
    return true;
  });
  return read ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<std::string> read_all(int fd, std::size_t limit) {
  std::optional<std::string> bytes = read_up_to(fd, limit + 1);
  return bytes && bytes->size() <= limit ? bytes : std::nullopt;
}

std::string_view read_ready(Fd& from, std::span<char> buffer) {
  const ssize_t got = read(from.get(), buffer.data(), buffer.size());
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) from.reset();
  return {buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
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

namespace fs = std::filesystem;

namespace {

bool is_regular(const struct stat& info) {
  if (S_ISREG(info.st_mode)) return true;
  errno = S_ISDIR(info.st_mode) ? EISDIR : S_ISLNK(info.st_mode) ? ELOOP : ENOTSUP;
  return false;
}

}  // namespace

Fd open_regular(const std::string& file, Links links) {
  const bool follow = links == Links::followed;
  struct stat info {};
  if (fstatat(AT_FDCWD, file.c_str(), &info, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0 ||
      !is_regular(info))
    return Fd();
  Fd fd(
      open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW)));
  // It may have been replaced since.
  if (!fd || fstat(fd.get(), &info) != 0 || !is_regular(info)) return Fd();
  return fd;
}

std::optional<std::string> file_text(const std::string& file, std::size_t most, Links links) {
  const Fd fd = open_regular(file, links);
  if (!fd) return std::nullopt;
  errno = EFBIG;  // a read that fails says why itself
  return read_all(fd.get(), most);
}

std::string file_beginning(const std::string& file, std::size_t most, Links links) {
  const Fd fd = open_regular(file, links);
  return fd ? read_up_to(fd.get(), most).value_or("") : "";
}

std::string read_small_file(const std::string& file, std::size_t most) {
  return file_text(file, most).value_or("");
}

bool replace_small_file(const std::string& file, std::string_view bytes, Lasting lasting) {
  std::error_code ignored;
  const fs::path folder = fs::path(file).parent_path();
  if (fs::create_directories(folder, ignored))
    fs::permissions(folder, fs::perms::owner_all, ignored);
  std::string name = file + ".XXXXXX";
  Fd fd(mkostemp(name.data(), O_CLOEXEC));  // 0600
  if (!fd) return false;
  const bool written =
      write_all(fd.get(), bytes) && (lasting == Lasting::no || fsync(fd.get()) == 0);
  fd.reset();
  if (written && rename(name.c_str(), file.c_str()) == 0) return true;
  const int error = errno;
  unlink(name.c_str());
  errno = error;
  return false;
}

}  // namespace skein
