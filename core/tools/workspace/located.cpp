// Root::located: where a path leads, for rules to judge.
#include <fcntl.h>

#include <algorithm>
#include <filesystem>

#include "core/text/text.h"
#include "core/tools/workspace/real_place.h"
#include "core/tools/workspace/root.h"

namespace skein::tools::workspace {

namespace {

namespace fs = std::filesystem;

std::string path_of(int fd) {  // empty: not known
  std::error_code failed;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(fd), failed).string();
}

std::string resolved(const fs::path& path) {
  std::error_code failed;
  const fs::path found = fs::weakly_canonical(path, failed);
  return failed || !found.is_absolute() ? std::string{} : found.string();
}

std::string from_home(const std::string& absolute) {
  const std::string home = user_home();
  if (home.empty()) return {};
  const std::string folder = resolved(home);
  if (absolute == folder) return "~";
  return absolute.starts_with(folder + "/") ? "~" + absolute.substr(folder.size()) : std::string{};
}

}  // namespace

std::optional<std::string> Root::path_below(int folder) const {
  const std::string here = path_of(folder), root = path_of(fd_.get());
  if (here.empty() || root.empty() || !is_below(here, root)) return std::nullopt;
  return here.substr(std::min(here.size(), root == "/" ? 1 : root.size() + 1));
}

model::Located Root::located(std::string_view path) const {
  model::Located out;
  if (path.find('\0') != std::string_view::npos) return {.refusal = "a path cannot hold a NUL"};
  const Place place = locate_anyway(path, Missing::imagine, Links::follow);
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
    out.withheld = withheld_by(path, place);
    if (withheld_ && !S_ISDIR(info.st_mode)) {
      out.secret = withheld_->secret(out.below);
      if (out.secret.empty()) out.secret = withheld_->secret(shown(path));
    }
  } else {
    out.absolute = resolved(fs::path(path_) / fs::path(path));
    // An absolute link leads nowhere for tools, even if it leads back in.
    if (out.absolute != path && inside(out.absolute)) {
      model::Located real = located(out.absolute);
      real.refusal = real.below.empty() ? real.refusal : std::string{};
      return real;
    }
    std::error_code ignored;
    out.exists = !out.absolute.empty() && fs::exists(out.absolute, ignored);
  }
  out.from_home = from_home(out.absolute);
  return out;
}

}  // namespace skein::tools::workspace
