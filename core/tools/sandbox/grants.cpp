#include "core/tools/sandbox/grants.h"

#include <algorithm>
#include <filesystem>

#include "core/tools/workspace/real_place.h"

namespace skein::tools::sandbox {

namespace {

namespace fs = std::filesystem;

void collect(const std::string& path, const std::vector<std::string>& out,
             std::vector<std::string>& whole) {
  const auto holds = [&](const std::string& place) { return workspace::is_below(place, path); };
  const auto is_in = [&](const std::string& place) { return workspace::is_below(path, place); };
  if (std::ranges::any_of(out, is_in)) return;
  if (std::ranges::none_of(out, holds)) {
    whole.push_back(path);
    return;
  }
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error))
    if (std::error_code ignored; !entry->is_symlink(ignored)) collect(entry->path(), out, whole);
}

}  // namespace

std::vector<std::string> grants_around(const std::string& top,
                                       const std::vector<std::string>& out) {
  std::vector<std::string> whole;
  collect(top, out, whole);
  return whole;
}

std::vector<std::string> folders_opened(const std::string& top,
                                        const std::vector<std::string>& out) {
  std::vector<std::string> folders;
  for (fs::path place : out)
    while (place.native() != top && workspace::is_below(place.native(), top)) {
      place = place.parent_path();
      folders.push_back(place);
    }
  std::ranges::sort(folders);
  const auto repeated = std::ranges::unique(folders);
  folders.erase(repeated.begin(), repeated.end());
  return folders;
}

}  // namespace skein::tools::sandbox
