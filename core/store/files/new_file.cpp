#include "core/store/files/new_file.h"

#include <algorithm>
#include <cerrno>

#include "core/text/base.h"

namespace skein::store::files {

namespace {

constexpr std::size_t buffer_bytes = 256u << 10;

// Across file systems a rename is a copy, synced, and then a removal.
int copy_file(Files& files, const std::string& from, const std::string& to) {
  const int source = files.open(from, OpenAs::reader);
  if (source < 0) return source;
  const OpenFile reader(files, source);
  NewFile copy(files, to);
  const int read =
      read_all(files, source, [&](std::string_view piece) { return copy.write(piece); });
  return read < 0 ? read : copy.rename_into_place();
}

}  // namespace

NewFile::NewFile(Files& files, const std::string& path)
    : files_(files), path_(path), temporary_(path + "." + to_string(random_id()) + ".tmp") {
  const int handle = files_.open(temporary_, OpenAs::creator);
  failed_ = std::min(handle, 0);
  there_ = handle >= 0;
  if (there_) file_ = OpenFile(files_, handle);
}

NewFile::~NewFile() {
  file_.reset();
  if (there_) files_.remove(temporary_);
}

int NewFile::write(std::string_view bytes) {
  if (failed_ < 0) return failed_;
  if (buffer_.size() + bytes.size() > buffer_bytes) write_buffer();
  if (bytes.size() > buffer_bytes) {
    if (failed_ == 0) failed_ = write_all(files_, file_.get(), bytes);
  } else {
    buffer_ += bytes;
  }
  return failed_;
}

void NewFile::write_buffer() {
  if (failed_ == 0) failed_ = write_all(files_, file_.get(), buffer_);
  buffer_.clear();
}

int NewFile::start_over() {
  buffer_.clear();
  if (failed_ == 0) failed_ = files_.truncate(file_.get(), 0);
  return failed_;
}

int NewFile::finish() {
  if (failed_ < 0 || !file_.is_open()) return failed_;
  write_buffer();
  if (failed_ == 0) failed_ = files_.sync(file_.get());
  if (failed_ == 0) failed_ = files_.stat(file_.get(), stat_);
  file_.reset();
  return failed_;
}

int NewFile::link_into_place() {
  if (const int failed = finish(); failed < 0) return failed;
  if (const int failed = files_.link(temporary_, path_); failed < 0) return failed;
  files_.remove(temporary_);
  there_ = false;
  return files_.sync_folder(parent_folder(path_));
}

int NewFile::rename_into_place() {
  if (const int failed = finish(); failed < 0) return failed;
  if (const int failed = files_.rename(temporary_, path_); failed < 0) return failed;
  there_ = false;
  return files_.sync_folder(parent_folder(path_));
}

int replace_file(Files& files, const std::string& path, std::string_view bytes) {
  NewFile file(files, path);
  file.write(bytes);
  return file.rename_into_place();
}

int move_file(Files& files, const std::string& from, const std::string& to) {
  int moved = files.rename(from, to);
  if (moved == -EXDEV) {
    moved = copy_file(files, from, to);
    if (moved == 0) moved = files.remove(from);
  }
  if (moved == 0) moved = files.sync_folder(parent_folder(to));
  if (moved == 0) moved = files.sync_folder(parent_folder(from));
  return moved;
}

}  // namespace skein::store::files
