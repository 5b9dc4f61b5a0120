#include "core/import/folder_watch.h"

#include "core/text/std.h"

#include <sys/inotify.h>

namespace skein::importers {

namespace fs = std::filesystem;

namespace {

// What appears in a folder, and that the folder itself goes away.
constexpr std::uint32_t appears =
    IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
constexpr std::uint32_t changes = appears | IN_MODIFY | IN_CLOSE_WRITE | IN_DONT_FOLLOW;

// The folder above that exists and is nearest.
std::string nearest_above(const std::string& folder) {
  std::error_code failed;
  fs::path above = fs::path(folder).parent_path();
  while (above.has_relative_path() && !fs::is_directory(above, failed)) above = above.parent_path();
  return above.string();
}

}  // namespace

FolderWatch::FolderWatch() : events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  incomplete_ = !events_;
}

void FolderWatch::add(const std::string& folder) {
  wanted_.insert(folder);
  seek(folder);
}

bool FolderWatch::seek(const std::string& folder) {
  for (;;) {
    const std::string above = nearest_above(folder);
    const int watch = inotify_add_watch(events_.get(), above.c_str(), appears | IN_MASK_ADD);
    if (watch >= 0) watches_.try_emplace(watch, Watched{above, false});
    std::error_code failed;
    if (fs::is_directory(folder, failed)) return follow(folder);
    if (nearest_above(folder) == above) return false;  // else one came before it was watched for
  }
}

bool FolderWatch::follow(const std::string& folder) {
  const int watch = inotify_add_watch(events_.get(), folder.c_str(), changes);
  if (watch < 0) {
    incomplete_ = incomplete_ || errno == ENOSPC;
    return false;
  }
  Watched& watched = watches_[watch];
  if (watched.followed && watched.folder == folder) return false;
  watched = {folder, true};
  std::error_code failed;
  for (fs::directory_iterator each(folder, failed); !failed && each != fs::directory_iterator();
       each.increment(failed)) {
    std::error_code unknown;
    if (!each->is_symlink(unknown) && each->is_directory(unknown)) follow(each->path().string());
  }
  return true;
}

std::set<std::string> FolderWatch::changed() {
  std::set<std::string> out;
  alignas(inotify_event) std::array<char, 64 * 1024> buffer{};
  for (;;) {
    const ssize_t got = read(events_.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event + event.len);
      if ((event.mask & IN_Q_OVERFLOW) != 0)  // some were lost: all may have changed
        for (const auto& [watch, each] : watches_)
          if (each.followed) out.insert(each.folder);
      if ((event.mask & IN_IGNORED) != 0) watches_.erase(event.wd);  // its folder is gone
      const auto watched = watches_.find(event.wd);
      if (watched == watches_.end() || !watched->second.followed || event.len == 0) continue;
      const std::string path = watched->second.folder + "/" + name;
      if ((event.mask & IN_ISDIR) != 0) follow(path);
      out.insert(path);
    }
  }
  for (const std::string& folder : wanted_)
    if (seek(folder)) out.insert(folder);
  return out;
}

}  // namespace skein::importers
