#include "core/tools/workspace/further_roots.h"

#include <algorithm>
#include <filesystem>

#include "core/model/self_running_names.h"
#include "core/text/base.h"
#include "core/text/text.h"
#include "core/tools/workspace/real_place.h"

namespace skein::tools::workspace {

namespace {

namespace fs = std::filesystem;

// The kernel's own, which no program's work is in.
constexpr std::string_view machine_folders[] = {"/proc", "/sys", "/dev"};

bool has_prefix(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

// The repository it is part of, whose ignore files count; without one the folder itself. Whose
// folders are on the way does not matter: such files only close.
std::string repository_of(const std::string& folder) {
  std::error_code failed;
  for (fs::path at = folder; at != at.root_path(); at = at.parent_path())
    if (fs::exists(at / ".git", failed)) return at.string();
  return folder;
}

// The part of the path by which other programs run what is in there by themselves; empty: none.
std::string self_running_part(const std::string& path) {
  for (const std::string_view part : split(path, '/'))
    if (model::self_running(part) != model::SelfRunning::no) return std::string(part);
  return {};
}

}  // namespace

// What keeps it from the model, by the ignore files of the folders above it.
std::string FurtherRoots::closed_by(const std::string& place) const {
  for (fs::path above = fs::path(place).parent_path(); above != above.root_path();
       above = above.parent_path()) {
    Withheld::Settings there = settings_.withheld;
    there.workspace = there.project = above.string();
    const std::string inner = place.substr(above.string().size() + 1);
    if (std::string by = Withheld(std::move(there)).by(inner, EntryKind::folder); !by.empty())
      return by;
  }
  return {};
}

FurtherFolder FurtherRoots::checked(std::string_view path, bool read_only) const {
  const auto refuse = [&](const std::string& why) {
    throw Error(std::string(path) + " " + why, ExitStatus::usage);
  };
  if (path.empty() || path.find('\0') != path.npos) throw Error("say which folder to open");
  const std::string named = with_user_home(path);
  if (named.empty()) refuse("means nothing: HOME is not set to an absolute path");
  const std::string place = real_place(named);
  std::error_code failed;
  if (!fs::is_directory(place, failed)) refuse("is not there, or no folder");
  if (place.find("/./") != place.npos || place.find('\n') != place.npos)
    refuse("has a name that cannot be used here");
  if (place == "/") refuse("is the whole machine; open the folder you need");
  if (std::ranges::any_of(machine_folders, [&](auto each) { return is_below(place, each); }))
    refuse("belongs to the kernel and is not opened");
  for (const std::string& closed : settings_.forbidden)
    if (is_below(place, real_place(closed)))
      refuse("holds skein's own files, which are closed to tools");
  if (is_below(place, settings_.workspace))
    refuse("lies in the workspace, where tools work anyway");
  if (const std::string part = self_running_part(place); !read_only && !part.empty())
    refuse("is in " + part +
           ", whose files other programs run by themselves; it can be opened for "
           "reading only (ro)");
  if (const std::string by = closed_by(place); !by.empty())
    refuse("is kept from the model by " + by);
  for (const FurtherFolder& other : folders()) {
    if (other.path == place) continue;
    if (is_below(place, other.path)) refuse("lies in " + other.path + ", which is open already");
    if (is_below(other.path, place))
      refuse("holds " + other.path + ", which is open already; remove that first");
  }
  return {place, read_only};
}

bool FurtherRoots::is_wide(const FurtherFolder& folder) {
  const std::string home = user_home();
  return !home.empty() && is_below(real_place(home), folder.path);
}

std::shared_ptr<const Root> FurtherRoots::open(const std::string& path) const {
  Withheld::Settings withheld = settings_.withheld;
  withheld.workspace = path;
  withheld.project = repository_of(path);
  return std::make_shared<const Root>(path, settings_.forbidden, best_resolver(),
                                      std::make_shared<const Withheld>(std::move(withheld)),
                                      settings_.unfinished);
}

std::vector<std::string> FurtherRoots::set(const std::vector<FurtherFolder>& folders) {
  {
    const std::lock_guard lock(reading_);
    opened_.clear();
  }
  std::vector<std::string> left_out;
  for (const FurtherFolder& folder : folders) try {
      const FurtherFolder good = checked(folder.path, folder.read_only);
      if (good.path != folder.path)
        throw Error(folder.path + " leads to another folder by now, " + good.path);
      Found opened{open(good.path), good.read_only};
      const std::lock_guard lock(reading_);
      opened_.push_back(std::move(opened));
    } catch (const Error& error) {
      left_out.emplace_back(error.what());
    }
  return left_out;
}

std::vector<FurtherRoots::Found> FurtherRoots::all() const {
  const std::lock_guard lock(reading_);
  return opened_;
}

std::vector<FurtherFolder> FurtherRoots::folders() const {
  std::vector<FurtherFolder> out;
  for (const Found& each : all()) out.push_back({each.root->path(), each.read_only});
  return out;
}

// What the workspace is called by is the workspace's, also where a further folder holds it.
FurtherRoots::Found FurtherRoots::find(std::string_view path) const {
  if (!path.starts_with('/') || has_prefix(path, settings_.workspace)) return {};
  for (Found& each : all())
    if (has_prefix(path, each.root->path())) return std::move(each);
  return {};
}

}  // namespace skein::tools::workspace
