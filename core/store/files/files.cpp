#include "core/store/files/files.h"

#include <cerrno>
#include <utility>

namespace skein::store::files {

OpenFile::OpenFile(OpenFile&& other) noexcept
    : files_(other.files_), handle_(std::exchange(other.handle_, -1)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  if (this != &other) {
    reset();
    files_ = other.files_;
    handle_ = std::exchange(other.handle_, -1);
  }
  return *this;
}

void OpenFile::reset() {
  if (handle_ >= 0) files_->close(std::exchange(handle_, -1));
}

int read_whole(Files& files, const std::string& path, std::string& out, std::uint64_t limit) {
  const int handle = files.open(path, OpenAs::reader);
  if (handle < 0) return handle;
  const OpenFile file(files, handle);
  FileStat stat;
  if (const int failed = files.stat(handle, stat); failed < 0) return failed;
  if (stat.kind != FileStat::Kind::file) return -EISDIR;
  if (stat.size > limit) return -EFBIG;
  out.reserve(stat.size + 64);  // parsers like to look a little further
  out.resize(stat.size);
  const std::int64_t have = read_fully(files, handle, out.data(), out.size(), 0);
  if (have < 0) return static_cast<int>(have);
  out.resize(static_cast<std::size_t>(have));
  return 0;
}

int write_all(Files& files, Files::Handle file, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::int64_t count = files.write(file, bytes);
    if (count == -EINTR) continue;
    if (count < 0) return static_cast<int>(count);
    if (count == 0) return -EIO;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

int read_all(Files& files, Files::Handle file, const Take& take) {
  std::string block(256u << 10, '\0');
  for (std::uint64_t at = 0;;) {
    const std::int64_t got = files.read(file, block.data(), block.size(), at);
    if (got == -EINTR) continue;
    if (got <= 0) return static_cast<int>(got);
    if (const int failed = take(std::string_view(block.data(), static_cast<std::size_t>(got)));
        failed < 0)
      return failed;
    at += static_cast<std::uint64_t>(got);
  }
}

std::string parent_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash);
}

std::int64_t read_fully(Files& files, Files::Handle file, char* to, std::size_t count,
                        std::uint64_t at) {
  std::size_t have = 0;
  while (have < count) {
    const std::int64_t got = files.read(file, to + have, count - have, at + have);
    if (got == -EINTR) continue;
    if (got < 0) return got;
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return static_cast<std::int64_t>(have);
}

}  // namespace skein::store::files
