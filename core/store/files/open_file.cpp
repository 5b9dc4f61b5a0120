#include "core/store/files/open_file.h"

#include <cerrno>
#include <memory>

namespace skein::store::files {

Result<FileStat> OpenFile::stat() const {
  FileStat out;
  if (const auto done = result(held_->files.stat(held_->handle, out)); !done) return done.error();
  return out;
}

Result<std::size_t> OpenFile::read(char* to, std::size_t count, std::uint64_t at) const {
  std::size_t have = 0;
  while (have < count) {
    const std::int64_t got = held_->files.read(held_->handle, to + have, count - have, at + have);
    if (got == -EINTR) continue;
    if (got < 0) return failure_from_errno(static_cast<int>(got), held_->name);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return have;
}

Result<void> OpenFile::read_all(const Take& take) const {
  constexpr std::size_t block_bytes = 64u << 10;  // most files are much smaller
  const auto block = std::make_unique_for_overwrite<char[]>(block_bytes);
  for (std::uint64_t at = 0;;) {
    const Result<std::size_t> got = read(block.get(), block_bytes, at);
    if (!got) return got.error();
    if (*got == 0 || !take(std::string_view(block.get(), *got))) return {};
    at += *got;
  }
}

Result<void> OpenFile::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const std::int64_t count = held_->files.write(held_->handle, bytes);
    if (count == -EINTR) continue;
    if (count <= 0) return result(count == 0 ? -EIO : static_cast<int>(count));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace skein::store::files
