// Where a path leads, for rules to judge, and whether it still leads there when a tool opens it.
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>

#include "core/tools/tools.h"

namespace skein::tools {

namespace {

namespace fs = std::filesystem;

std::optional<std::string> path_of(int fd) {
  std::string path(PATH_MAX, '\0');
  const ssize_t length =
      readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path.data(), path.size());
  if (length <= 0 || static_cast<std::size_t>(length) == path.size()) return std::nullopt;
  path.resize(static_cast<std::size_t>(length));
  return path;
}

std::string resolved(const fs::path& path) {
  std::error_code failed;
  const fs::path found = fs::weakly_canonical(path, failed);
  return failed || !found.is_absolute() ? std::string{} : found.string();
}

std::string from_home(const std::string& absolute) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return {};
  const std::string folder = resolved(home);
  if (absolute == folder) return "~";
  return absolute.starts_with(folder + "/") ? "~" + absolute.substr(folder.size()) : std::string{};
}

}  // namespace

std::optional<std::string> workspace::Root::path_below(int folder) const {
  const auto here = path_of(folder), root = path_of(fd_.get());
  if (!here || !root) return std::nullopt;
  if (*here == *root) return "";
  const std::string base = *root == "/" ? "/" : *root + "/";
  if (!here->starts_with(base)) return std::nullopt;
  return here->substr(base.size());
}

model::Located workspace::Root::located(std::string_view path) const {
  model::Located out;
  if (path.find('\0') != std::string_view::npos) return {.refusal = "a path cannot hold a NUL"};
  const workspace::Place place = locate(path, Missing::imagine);
  out.refusal = place.refusal;
  if (const std::string name = shown(path) + ": "; out.refusal.starts_with(name))
    out.refusal.erase(0, name.size());
  if (place) {
    out.below = place.below;
    out.absolute = out.below == "." ? path_ : (path_ == "/" ? "" : path_) + "/" + out.below;
    struct stat info {};
    if (!place.missing &&
        fstatat(place.folder.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      out.exists = true;
      out.many_names = S_ISREG(info.st_mode) && info.st_nlink > 1;
    }
  } else {
    out.absolute = resolved(fs::path(path_) / fs::path(path));
    // An absolute link leads nowhere for tools, even if it leads back in.
    if (out.absolute != path && inside(out.absolute)) {
      model::Located real = located(out.absolute);
      real.refusal = real.below.empty() ? real.refusal : std::string{};
      return real;
    }
  }
  if (!place) {
    std::error_code ignored;
    out.exists = !out.absolute.empty() && fs::exists(out.absolute, ignored);
  }
  out.from_home = from_home(out.absolute);
  return out;
}

workspace::Place judged_place(const workspace::Root& root, std::string_view path,
                              const model::ToolPorts& ports, workspace::Root::Missing folders) {
  const auto moved = [&] {
    return workspace::Place{.refusal =
                                root.shown(path) +
                                ": it leads to another place than when it was judged; ask again"};
  };
  // Before a folder is made, and once more with what is open then.
  if (ports.judged && folders == workspace::Root::Missing::make_folders)
    if (const workspace::Place now = root.locate(path, workspace::Root::Missing::imagine);
        now && now.below != *ports.judged)
      return moved();
  workspace::Place place = root.locate(path, folders);
  return place && ports.judged && place.below != *ports.judged ? moved() : std::move(place);
}

}  // namespace skein::tools
