// Where a path leads: the form in which places are compared, hidden and protected. And its parts.
#pragma once

#include "core/text/std.h"

#include <sys/stat.h>

#include <compare>

#include "core/text/io.h"

namespace skein::workspace {

// Which file a name refers to, whatever it is called.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  auto operator<=>(const FileId&) const = default;
};

inline constexpr int max_links = 40;  // as the kernel

// Absolute, every link on the way followed (dangling ones too), no "." or ".."; what is not there
// yet is kept as it is written. Looks at the file system now: ask again when it may have changed.
// `links` receives the places of the links.
std::string real_place(std::string_view path, std::vector<std::string>* links = nullptr);

// Whether `path` is `folder` or is in it; only words, so both are real places.
bool is_below(std::string_view path, std::string_view folder);

// The path of a name in a folder; "" is the folder where paths begin.
inline std::string joined(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}
// "" if there is only a name.
inline std::string parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == path.npos ? "" : path.substr(0, slash));
}

enum class EntryKind { file, folder, link };
inline EntryKind kind_of(mode_t mode) {
  return S_ISDIR(mode) ? EntryKind::folder : S_ISLNK(mode) ? EntryKind::link : EntryKind::file;
}
inline std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Where a link in an open folder leads; none: it is no link, or cannot be read.
std::optional<std::string> read_link(int folder, const std::string& name);
// Every name in an open folder but "." and "..", with readdir's type, until `take` returns false.
void each_entry(Fd folder, const std::function<bool(const std::string& name, int type)>& take);

}  // namespace skein::workspace
