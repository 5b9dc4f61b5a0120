#include "core/store/files/new_file.h"

#include <utility>

#include "core/store/files/named_files.h"
#include "core/text/base.h"

namespace skein::store::files {

namespace {

constexpr std::size_t buffer_bytes = 256u << 10;

}  // namespace

NewFile::NewFile(Files& files, const std::string& path, const std::string& doing)
    : files_(files),
      path_(path),
      temporary_(path + "." + to_string(random_id()) + ".tmp"),
      doing_(doing) {
  Result<OpenFile> made = open(files_, temporary_, OpenAs::creator, doing_);
  there_ = bool(made);
  if (made)
    file_ = *std::move(made);
  else
    done_ = made.error();
}

NewFile::~NewFile() {
  file_.reset();
  if (there_) files_.remove(temporary_);
}

bool NewFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_bytes) {
    write_out(buffer_);
    buffer_.clear();
  }
  if (bytes.size() > buffer_bytes)
    write_out(bytes);
  else
    buffer_ += bytes;
  return bool(done_);
}

void NewFile::write_out(std::string_view bytes) {
  if (done_) done_ = file_.write(bytes);
}

void NewFile::start_over() {
  buffer_.clear();
  if (done_) done_ = file_.truncate(0);
}

Result<void> NewFile::finish() {
  if (done_ && file_.is_open()) {
    write_out(std::exchange(buffer_, {}));
    if (done_) done_ = file_.sync();
  }
  return finish_unsynced();
}

Result<void> NewFile::finish_unsynced() {
  if (!done_ || !file_.is_open()) return done_;
  write_out(buffer_);
  const Result<FileStat> stat = file_.stat();
  if (done_ && !stat) done_ = stat.error();
  if (done_) stat_ = *stat;
  file_.reset();
  return done_;
}

Result<void> NewFile::link_into_place() {
  Result<void> done = finish();
  if (done) done = link(files_, temporary_, path_, doing_);
  if (!done) return done;
  files_.remove(temporary_);
  there_ = false;
  return sync_folder(files_, parent_folder(path_), doing_);
}

Result<void> NewFile::rename_unsynced() {
  const Result<void> done = result_from_errno(files_.rename(temporary_, path_), doing_);
  if (done) there_ = false;
  return done;
}

Result<void> NewFile::rename_into_place() {
  Result<void> done = finish();
  if (done) done = rename_unsynced();
  if (!done) return done;
  return sync_folder(files_, parent_folder(path_), doing_);
}

}  // namespace skein::store::files
