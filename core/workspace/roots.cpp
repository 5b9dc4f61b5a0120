#include "core/workspace/roots.h"
#include "core/workspace/autorun_files.h"

#include "core/text/text.h"

namespace skein::workspace {

namespace {

namespace fs = std::filesystem;
using model::further_folder_of, model::further_place, model::inner_place;

// The kernel's own, which no program's work is in.
constexpr std::string_view machine_folders[] = {"/proc", "/sys", "/dev"};

// The repository it is in, whose ignore files count, else the folder. Such files can only close.
std::string repository_of(const std::string& folder) {
  std::error_code failed;
  for (fs::path at = folder; at != at.root_path(); at = at.parent_path())
    if (fs::exists(at / ".git", failed)) return at.string();
  return folder;
}

}  // namespace

std::shared_ptr<const Root> ReadableFolders::root_of(std::string_view path) const try {
  if (folders_.empty() || !path.starts_with('/') || path.find('\0') != std::string_view::npos)
    return nullptr;
  fs::path at = fs::path(path).lexically_normal();
  while (at != at.root_path() && !folders_.contains(at.string())) at = at.parent_path();
  if (at == at.root_path()) return nullptr;
  std::shared_ptr<const IgnoredPaths> withheld;
  if (withheld_) {
    IgnoredPaths::Settings here = *withheld_;
    here.workspace = at.string();
    // A skill of the project is a part of it; another one is independent.
    if (!here.workspace.starts_with(here.project + "/")) here.project = here.workspace;
    withheld = std::make_shared<const IgnoredPaths>(std::move(here));
  }
  return std::make_shared<const Root>(at.string(), std::vector<std::string>{}, best_resolver(),
                                      std::move(withheld));
} catch (const Error&) {  // it is gone by now
  return nullptr;
}

// What keeps it from the model, by the ignore files of the folders above it.
std::string AdditionalDirectories::closed_by(const std::string& place) const {
  for (fs::path above = fs::path(place).parent_path(); above != above.root_path();
       above = above.parent_path()) {
    IgnoredPaths::Settings there = settings_.withheld;
    there.workspace = there.project = above.string();
    const std::string inner = place.substr(above.string().size() + 1);
    if (std::string by = IgnoredPaths(std::move(there)).by(inner, EntryKind::folder); !by.empty())
      return by;
  }
  return {};
}

AdditionalDirectory AdditionalDirectories::checked(std::string_view path, bool read_only) const {
  const auto refuse = [&](const std::string& why) {
    throw Error(std::string(path) + " " + why, ExitStatus::usage);
  };
  if (path.empty() || path.find('\0') != path.npos) throw Error("say which folder to open");
  const std::string named = with_user_home(path);
  if (named.empty()) refuse("cannot be used: HOME is not set to an absolute path");
  const std::string place = real_place(named);
  std::error_code failed;
  if (!fs::is_directory(place, failed)) refuse("does not exist, or is not a folder");
  if (place.find("/./") != place.npos || place.find('\n') != place.npos)
    refuse("has a name that cannot be used here");
  if (place == "/") refuse("is the whole machine; open the folder you need");
  if (std::ranges::any_of(machine_folders, [&](auto each) { return is_below(place, each); }))
    refuse("belongs to the kernel and cannot be opened");
  for (const std::string& closed : settings_.forbidden)
    if (is_below(place, real_place(closed)))
      refuse("holds skein's own files, which are closed to tools");
  if (is_below(place, settings_.workspace)) refuse("is in the workspace, where tools work anyway");
  if (const std::string part(autorun_part(place)); !read_only && !part.empty())
    refuse(
        "is in " + part +
        ", whose files other programs run automatically; it can be opened for reading only (ro)");
  if (const std::string by = closed_by(place); !by.empty())
    refuse("is hidden from the model by " + by);
  for (const AdditionalDirectory& other : folders()) {
    if (other.path == place) continue;
    if (is_below(place, other.path)) refuse("is in " + other.path + ", which is open already");
    if (is_below(other.path, place))
      refuse("holds " + other.path + ", which is open already; remove that first");
  }
  return {place, read_only};
}

bool AdditionalDirectories::is_wide(const AdditionalDirectory& folder) {
  const std::string home = user_home();
  return !home.empty() && is_below(real_place(home), folder.path);
}

std::shared_ptr<const Root> AdditionalDirectories::open(const std::string& path) const {
  IgnoredPaths::Settings withheld = settings_.withheld;
  withheld.workspace = path;
  withheld.project = repository_of(path);
  return std::make_shared<const Root>(path, settings_.forbidden, best_resolver(),
                                      std::make_shared<const IgnoredPaths>(std::move(withheld)),
                                      settings_.unfinished);
}

std::vector<std::string> AdditionalDirectories::set(
    const std::vector<AdditionalDirectory>& folders) {
  {
    const std::lock_guard lock(reading_);
    opened_.clear();
  }
  std::vector<std::string> left_out;
  for (const AdditionalDirectory& folder : folders) try {
      const AdditionalDirectory good = checked(folder.path, folder.read_only);
      if (good.path != folder.path)
        throw Error(folder.path + " now leads to another folder, " + good.path);
      Found opened{open(good.path), good.read_only};
      const std::lock_guard lock(reading_);
      opened_.push_back(std::move(opened));
    } catch (const Error& error) {
      left_out.emplace_back(error.what());
    }
  return left_out;
}

std::vector<AdditionalDirectories::Found> AdditionalDirectories::all() const {
  const std::lock_guard lock(reading_);
  return opened_;
}

std::vector<AdditionalDirectory> AdditionalDirectories::folders() const {
  std::vector<AdditionalDirectory> out;
  for (const Found& each : all()) out.push_back({each.root->path(), each.read_only});
  return out;
}

// What the workspace is called by is the workspace's, also where an additional directory holds it.
AdditionalDirectories::Found AdditionalDirectories::find(std::string_view path) const {
  if (!path.starts_with('/') || is_below(path, settings_.workspace)) return {};
  for (Found& each : all())
    if (is_below(path, each.root->path())) return std::move(each);
  return {};
}

Roots::Chosen Roots::of(std::string_view path, Use use) const {
  if (further_)
    if (AdditionalDirectories::Found found = further_->find(path); found.root)
      return {std::move(found.root), true, found.read_only && use == Use::writes};
  if (readable_ && use == Use::reads)
    if (auto root = readable_->root_of(path)) return {std::move(root)};
  return {workspace_};
}

std::string Roots::closed_to_changes(std::string_view path) {
  return std::string(path) + ": that folder is open for reading only";
}

model::Located Roots::located(std::string_view path, Use use) const {
  const Chosen chosen = of(path, use);
  model::Located place = chosen.root->located(path);
  if (!chosen.further || place.below.empty()) return place;
  if (chosen.closed) {
    place.below.clear();
    place.refusal = closed_to_changes(path);
  } else {
    place.below = further_place(chosen.root->path(), place.below);
  }
  return place;
}

model::ToolPorts Roots::ports_in(const Chosen& chosen, const model::ToolPorts& ports) {
  model::ToolPorts out = ports;
  const std::string folder = chosen.root->path();
  if (ports.judged) {
    const auto inner = inner_place(*ports.judged);
    // Judged as a place elsewhere: no place there is called by nothing.
    out.judged = inner && further_folder_of(*ports.judged) == folder ? std::string(*inner) : "";
  }
  if (ports.denied)
    out.denied = [folder, denied = ports.denied](std::string_view below) {
      return denied(further_place(folder, below));
    };
  out.before_write = {};
  return out;
}

}  // namespace skein::workspace
