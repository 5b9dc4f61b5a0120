#include "core/store/files/open_file.h"

#include <cerrno>
#include <utility>

namespace skein::store::files {

OpenFile::OpenFile(Files& files, Files::Handle handle, std::string name)
    : files_(&files), handle_(handle), name_(std::move(name)) {}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : files_(other.files_),
      handle_(std::exchange(other.handle_, -1)),
      name_(std::move(other.name_)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  if (this == &other) return *this;
  reset();
  files_ = other.files_;
  handle_ = std::exchange(other.handle_, -1);
  name_ = std::move(other.name_);
  return *this;
}

void OpenFile::reset() {
  if (is_open()) files_->close(std::exchange(handle_, -1));
}

Result<FileStat> OpenFile::stat() const {
  FileStat out;
  if (const int failed = files_->stat(handle_, out); failed < 0)
    return failure_from_errno(failed, name_);
  return out;
}

Result<std::size_t> OpenFile::read(char* to, std::size_t count, std::uint64_t at) const {
  std::size_t have = 0;
  while (have < count) {
    const std::int64_t got = files_->read(handle_, to + have, count - have, at + have);
    if (got == -EINTR) continue;
    if (got < 0) return failure_from_errno(static_cast<int>(got), name_);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return have;
}

Result<void> OpenFile::read_all(const Take& take) const {
  std::string block(256u << 10, '\0');
  for (std::uint64_t at = 0;;) {
    const Result<std::size_t> got = read(block.data(), block.size(), at);
    if (!got) return got.error();
    if (*got == 0 || !take(std::string_view(block).substr(0, *got))) return {};
    at += *got;
  }
}

Result<void> OpenFile::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const std::int64_t count = files_->write(handle_, bytes);
    if (count == -EINTR) continue;
    if (count <= 0) return failure_from_errno(count == 0 ? EIO : static_cast<int>(count), name_);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> OpenFile::sync() const { return result_from_errno(files_->sync(handle_), name_); }

Result<void> OpenFile::truncate(std::uint64_t size) const {
  return result_from_errno(files_->truncate(handle_, size), name_);
}

Result<void> OpenFile::lock(int patience_ms) const {
  return result_from_errno(files_->lock(handle_, patience_ms), name_);
}

void OpenFile::unlock() const {
  if (is_open()) files_->unlock(handle_);
}

Result<void> OpenFile::hold(std::uint64_t place, LockMode company) const {
  return result_from_errno(files_->hold(handle_, place, company), name_);
}

}  // namespace skein::store::files
