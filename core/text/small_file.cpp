#include "core/text/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/text/io.h"

namespace skein {

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
  std::string out;
  if (const Fd fd = open_regular(file, links))
    read_pieces(fd.get(), most, [&](std::string_view piece) {
      out += piece;
      return true;
    });
  return out;
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
