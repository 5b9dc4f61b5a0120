#include "app/config_watch.h"

#include <sys/stat.h>

#include <utility>

#include "app/load_config.h"
#include "core/text/small_file.h"
#include "repl/layout/short_folder.h"

namespace skein::app {

ConfigWatch::ConfigWatch(const Invocation& invocation, std::string workspace)
    : invocation_(invocation), workspace_(std::move(workspace)) {
  for (std::string path : {user_config_file(), workspace_config_file(workspace_)}) {
    File file{.path = std::move(path)};
    file.stamp = stamp_of(file.path);
    if (file.stamp != Stamp{}) file.in_force = file.told = file_text(file.path).value_or("");
    files_.push_back(std::move(file));
  }
}

ConfigWatch::Stamp ConfigWatch::stamp_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  return {static_cast<std::int64_t>(info.st_ino), info.st_size, info.st_mtim.tv_sec,
          info.st_mtim.tv_nsec};
}

std::string ConfigWatch::announce() {
  std::string out;
  for (File& file : files_) {
    const Stamp now = stamp_of(file.path);
    if (now == std::exchange(file.stamp, now)) continue;
    const std::string text = now == Stamp{} ? "" : file_text(file.path).value_or("");
    // Written back, or only touched.
    if (text == std::exchange(file.told, text) || text == file.in_force) continue;
    out += layout::short_folder(file.path) + (now == Stamp{} ? " is gone" : " has changed") +
           ": that counts from the next start of skein\n";
  }
  return out.empty() ? out : out + trouble();
}

std::string ConfigWatch::trouble() const {
  catalog::Catalog catalog;
  const std::vector<std::string> troubles =
      load_config_anyway(invocation_, workspace_, catalog).troubles;
  if (troubles.empty()) return {};
  return "skein would not start: " + troubles.front() +
         (troubles.size() > 1 ? " (`skein config check` lists everything)" : "") + "\n";
}

}  // namespace skein::app
