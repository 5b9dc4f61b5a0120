#include "core/store/files.h"

#include <cerrno>
#include <utility>

#include "core/base.h"

namespace skein {

namespace {

// Across file systems a rename is a copy, synced, and then a removal.
int copy_file(Files& files, const std::string& from, const std::string& to) {
  const int source = files.open(from, OpenAs::reader);
  if (source < 0) return source;
  const OpenFile reader(files, source);
  const std::string temporary = temporary_name(to);
  const int target = files.open(temporary, OpenAs::creator);
  if (target < 0) return target;
  OpenFile writer(files, target);
  std::string block(1u << 20, '\0');
  int failed = 0;
  for (std::uint64_t at = 0; failed == 0;) {
    const std::int64_t got = files.read(source, block.data(), block.size(), at);
    if (got == -EINTR) continue;
    if (got == 0) break;
    failed = got < 0 ? static_cast<int>(got)
                     : write_all(files, target,
                                 std::string_view(block).substr(0, static_cast<std::size_t>(got)));
    at += got > 0 ? static_cast<std::uint64_t>(got) : 0;
  }
  if (failed == 0) failed = files.sync(target);
  writer.reset();
  if (failed == 0) failed = files.rename(temporary, to);
  if (failed < 0) files.remove(temporary);
  return failed;
}

}  // namespace

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
  std::size_t have = 0;
  while (have < out.size()) {
    const std::int64_t count = files.read(handle, out.data() + have, out.size() - have, have);
    if (count == -EINTR) continue;
    if (count < 0) return static_cast<int>(count);
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  out.resize(have);
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

int replace_file(Files& files, const std::string& path, std::string_view bytes) {
  const std::string temporary = temporary_name(path);
  const int handle = files.open(temporary, OpenAs::creator);
  if (handle < 0) return handle;
  OpenFile file(files, handle);
  int failed = write_all(files, handle, bytes);
  if (failed == 0) failed = files.sync(handle);
  file.reset();
  if (failed == 0) failed = files.rename(temporary, path);
  if (failed < 0) {
    files.remove(temporary);
    return failed;
  }
  return files.sync_folder(parent_folder(path));
}

int move_file(Files& files, const std::string& from, const std::string& to) {
  int moved = files.rename(from, to);
  if (moved == -EXDEV) {
    moved = copy_file(files, from, to);
    if (moved == 0) moved = files.sync_folder(parent_folder(to));
    if (moved == 0) moved = files.remove(from);
  }
  if (moved == 0) moved = files.sync_folder(parent_folder(to));
  if (moved == 0) moved = files.sync_folder(parent_folder(from));
  return moved;
}

std::string parent_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash);
}

std::string temporary_name(const std::string& path) {
  return path + "." + to_string(random_id()) + ".tmp";
}

}  // namespace skein
