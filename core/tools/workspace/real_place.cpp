#include "core/tools/workspace/real_place.h"

#include <filesystem>
#include <ranges>

#include "core/text/text.h"

namespace skein::tools::workspace {

namespace {

namespace fs = std::filesystem;

// The names of a path, the last one first.
void put_ahead(std::vector<std::string>& ahead, std::string_view path) {
  const std::vector<std::string_view> names = split(path, '/');
  for (const std::string_view name : names | std::views::reverse)
    if (!name.empty() && name != ".") ahead.emplace_back(name);
}

}  // namespace

std::string real_place(std::string_view path, std::vector<std::string>* links) {
  std::vector<std::string> ahead;
  put_ahead(ahead, path);
  std::error_code ignored;
  // The folder we are in has no links in it.
  std::string place = path.starts_with('/') ? "" : fs::current_path(ignored).string();
  if (place == "/") place.clear();
  for (int followed = 0; !ahead.empty();) {
    const std::string name = std::move(ahead.back());
    ahead.pop_back();
    if (name == "..") {
      place.resize(place.empty() ? 0 : place.rfind('/'));
      continue;
    }
    std::error_code no_link;
    const fs::path target = fs::read_symlink(place + "/" + name, no_link);
    if (no_link || ++followed > max_links) {
      place += "/" + name;
      continue;
    }
    if (links != nullptr) links->push_back(place + "/" + name);
    if (target.is_absolute()) place.clear();
    put_ahead(ahead, target.native());
  }
  return place.empty() ? "/" : place;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path == folder || folder == "/" ||
         (path.starts_with(folder) && path[folder.size()] == '/');
}

}  // namespace skein::tools::workspace
