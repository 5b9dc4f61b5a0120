#include "core/workspace/real_place.h"

#include "core/text/std.h"

#include <dirent.h>

#include <climits>

#include "core/text/text.h"

namespace skein::workspace {

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

std::optional<std::string> read_link(int folder, const std::string& name) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = readlinkat(folder, name.c_str(), target.data(), target.size());
  if (length < 0) return std::nullopt;
  target.resize(static_cast<std::size_t>(length));
  return target;
}

void each_entry(Fd folder, const std::function<bool(const std::string&, int)>& take) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(folder.get()), closedir);
  if (!stream) return;
  folder.release();
  while (const dirent* entry = readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && !take(name, entry->d_type)) return;
  }
}

}  // namespace skein::workspace
