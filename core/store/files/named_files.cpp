#include "core/store/files/named_files.h"

#include <algorithm>
#include <cerrno>

#include "core/store/files/new_file.h"

namespace skein::store::files {

namespace {

const std::string& name_of(const std::string& path, const std::string& doing) {
  return doing.empty() ? path : doing;
}

}  // namespace

Result<OpenFile> open(Files& files, const std::string& path, OpenAs as, const std::string& doing) {
  const int handle = files.open(path, as);
  if (handle < 0) return failure_from_errno(handle, doing);
  OpenFile file(files, handle, doing);
  if (as == OpenAs::creator || as == OpenAs::locker) return file;
  const Result<FileStat> stat = file.stat();
  if (!stat) return stat.error();
  if (stat->kind != FileStat::Kind::file) return failure_from_errno(EISDIR, doing);
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
  const Result<OpenFile> file = open(files, path, OpenAs::reader, name);
  if (!file) return file.error();
  const Result<FileStat> stat = file->stat();
  if (!stat) return stat.error();
  if (stat->size > limit) return Failure{Failure::Kind::refused, name + " is too large"};
  std::string out;
  out.reserve(stat->size + 64);  // parsers like to look a little further
  out.resize(stat->size);
  const Result<std::size_t> have = file->read(out.data(), out.size(), 0);
  if (!have) return have.error();
  out.resize(*have);
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
    const Result<OpenFile> source = open(files, from, OpenAs::reader, name);
    if (!source) return source.error();
    NewFile copy(files, to, name);
    moved = source->read_all([&](std::string_view piece) { return copy.write(piece); });
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
