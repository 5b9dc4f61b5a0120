#include "core/tools/workspace/unfinished.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/tools/workspace/root.h"
#include "core/tools/workspace/staged_file.h"

namespace skein::tools::workspace {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_note_bytes = 64u << 20;  // of a note

// A row is its fields, each ended by a zero byte: names may hold anything else.
struct Row {
  std::string root{}, temporary{}, place{};
  std::string versions{};  // that may be deleted, each with a blank after it; empty: any
};

std::string version_of(const struct stat& info) {
  std::string out;
  for (const auto number :
       {static_cast<std::int64_t>(info.st_dev), static_cast<std::int64_t>(info.st_ino),
        static_cast<std::int64_t>(info.st_mode), static_cast<std::int64_t>(info.st_size),
        static_cast<std::int64_t>(info.st_mtim.tv_sec),
        static_cast<std::int64_t>(info.st_mtim.tv_nsec)})
    out += std::to_string(number) + ":";
  return out + " ";
}

// The last row of each temporary file counts.
std::map<std::string, Row> rows_in(std::string_view text) {
  std::map<std::string, Row> out;
  for (;;) {
    std::array<std::string, 4> fields;
    for (std::string& field : fields) {
      const std::size_t end = text.find('\0');
      if (end == std::string_view::npos) return out;  // the end, or what was being written
      field = text.substr(0, end);
      text.remove_prefix(end + 1);
    }
    auto& [root, temporary, place, versions] = fields;
    out[root + "/" + temporary] = {root, temporary, place, versions};
  }
}

// A sentence if it was not deleted.
std::optional<std::string> clear_one(const Row& row) {
  const Root root(row.root, {});
  const auto at = [&](const std::string& path) {
    return root.locate(path, Root::Missing::refuse, Root::Links::refuse);
  };
  const Place temporary = at(row.temporary), place = at(row.place);
  if (!temporary || !place) return std::nullopt;
  const int folder = temporary.folder.get();
  struct stat left {
  }, there{};
  if (fstatat(folder, temporary.name.c_str(), &left, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  const bool taken =
      fstatat(place.folder.get(), place.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
  const bool second_name = taken && left.st_dev == there.st_dev && left.st_ino == there.st_ino;
  if (row.versions.empty() || second_name ||
      row.versions.find(version_of(left)) != std::string::npos) {
    unlinkat(folder, temporary.name.c_str(), 0);
    return std::nullopt;
  }
  if (renameat2(folder, temporary.name.c_str(), place.folder.get(), place.name.c_str(),
                RENAME_NOREPLACE) == 0)
    return row.root + "/" + row.place + " was put back: another program had saved it";
  return "another program saved " + row.root + "/" + row.place +
         " just before skein was killed; what it saved is in " + set_aside(place, temporary.name);
}

std::optional<std::string> clear_if_possible(const Row& row) {
  try {
    return clear_one(row);
  } catch (const Error&) {
    return std::nullopt;  // the workspace is gone, and all in it
  }
}

}  // namespace

Unfinished::~Unfinished() {
  if (note_) unlink(file_.c_str());
}

void Unfinished::write(const std::string& temporary, const std::string& place,
                       const std::string& versions) {
  if (folder_.empty()) return;
  // One that clears away may be quicker than our lock, and remove the empty note: then again.
  struct stat info {};
  for (int attempt = 0; attempt < 100 && !note_; ++attempt) {
    std::error_code failed;
    if (fs::create_directories(folder_, failed))
      fs::permissions(folder_, fs::perms::owner_all, failed);
    file_ = folder_ + "/" + to_string(random_id());
    Fd note(open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!note) return;
    if (flock(note.get(), LOCK_EX) == 0 && fstat(note.get(), &info) == 0 && info.st_nlink > 0)
      note_ = std::move(note);
  }
  write_all(note_.get(), root_ + '\0' + temporary + '\0' + place + '\0' + versions + '\0');
}

void Unfinished::staged(const std::string& temporary, const std::string& place) {
  write(temporary, place, "");
}

void Unfinished::moved(const std::string& temporary, const std::string& place,
                       std::initializer_list<struct stat> deletable) {
  std::string versions;
  for (const struct stat& info : deletable) versions += version_of(info);
  write(temporary, place, versions);
}

std::vector<std::string> Unfinished::clear(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code failed;
  for (fs::directory_iterator note(folder, failed), end; !failed && note != end;
       note.increment(failed)) {
    const Fd file(open(note->path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file || flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;  // its writer is alive
    const std::optional<std::string> text = read_all(file.get(), most_note_bytes);
    if (text)
      for (const auto& [path, row] : rows_in(*text))
        if (auto sentence = clear_if_possible(row)) out.push_back(*std::move(sentence));
    unlink(note->path().c_str());
  }
  return out;
}

}  // namespace skein::tools::workspace
