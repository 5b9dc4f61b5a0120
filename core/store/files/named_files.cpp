#include "core/store/files/named_files.h"

namespace skein::store::files {

Result<FileStat> OpenFile::stat() const {
  FileStat out;
  TRY(result(held_->files.stat(held_->handle, out)));
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
    const std::size_t got = TRY(read(block.get(), block_bytes, at));
    if (got == 0 || !take(std::string_view(block.get(), got))) return {};
    at += got;
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

namespace {

constexpr std::size_t buffer_bytes = 256u << 10;

const std::string& name_of(const std::string& path, const std::string& doing) {
  return doing.empty() ? path : doing;
}

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

Result<OpenFile> open(Files& files, const std::string& path, OpenAs as, const std::string& doing) {
  const int handle = files.open(path, as);
  if (handle < 0) return failure_from_errno(handle, doing);
  OpenFile file(files, handle, doing);
  if (as == OpenAs::creator || as == OpenAs::locker) return file;
  const FileStat stat = TRY(file.stat());
  if (stat.kind != FileStat::Kind::file) return failure_from_errno(EISDIR, doing);
  return file;
}

Result<FileStat> stat(Files& files, const std::string& path, const std::string& doing) {
  FileStat out;
  if (const int failed = files.stat_path(path, out); failed < 0)
    return failure_from_errno(failed, name_of(path, doing));
  return out;
}

bool exists(Files& files, const std::string& path) { return bool(stat(files, path)); }

Result<void> make_folder(Files& files, const std::string& folder) {
  return result_from_errno(files.make_folder(folder), "the home's folder " + folder);
}

Result<std::vector<std::string>> list(Files& files, const std::string& folder) {
  std::vector<std::string> names;
  if (const int failed = files.list(folder, names); failed < 0)
    return failure_from_errno(failed, "the home's folder " + folder);
  std::ranges::sort(names);
  return names;
}

Result<std::string> read_whole(Files& files, const std::string& path, std::uint64_t limit,
                               const std::string& doing) {
  const std::string& name = name_of(path, doing);
  const OpenFile file = TRY(open(files, path, OpenAs::reader, name));
  const FileStat stat = TRY(file.stat());
  if (stat.size > limit) return Failure{Failure::Kind::refused, name + " is too large"};
  std::string out;
  out.reserve(stat.size + 64);  // parsers like to look a little further
  out.resize(stat.size);
  const std::size_t have = TRY(file.read(out.data(), out.size(), 0));
  out.resize(have);
  return out;
}

Result<void> link(Files& files, const std::string& from, const std::string& to,
                  const std::string& doing) {
  return result_from_errno(files.link(from, to), name_of(from, doing));
}

Result<void> remove(Files& files, const std::string& path, const std::string& doing) {
  return result_from_errno(files.remove(path), name_of(path, doing));
}

Result<void> sync_folder(Files& files, const std::string& folder, const std::string& doing) {
  return result_from_errno(files.sync_folder(folder), name_of(folder, doing));
}

Result<void> replace_file(Files& files, const std::string& path, std::string_view bytes,
                          const std::string& doing) {
  NewFile file(files, path, name_of(path, doing));
  file.write(bytes);
  return file.rename_into_place();
}

Result<void> move_file(Files& files, const std::string& from, const std::string& to,
                       const std::string& doing) {
  const std::string& name = name_of(from, doing);
  Result<void> moved;
  if (const int failed = files.rename(from, to); failed == -EXDEV) {
    // Across file systems a rename is a copy, synced, and then a removal.
    const OpenFile source = TRY(open(files, from, OpenAs::reader, name));
    NewFile copy(files, to, name);
    moved = source.read_all([&](std::string_view piece) { return copy.write(piece); });
    if (moved) moved = copy.rename_into_place();
    if (moved) moved = remove(files, from, name);
  } else {
    moved = result_from_errno(failed, name);
  }
  if (moved) moved = sync_folder(files, parent_folder(to), name);
  if (moved) moved = sync_folder(files, parent_folder(from), name);
  return moved;
}

}  // namespace skein::store::files
