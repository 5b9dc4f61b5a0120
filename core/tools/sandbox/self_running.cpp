#include "core/tools/sandbox/self_running.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/model/self_running_names.h"
#include "core/text/text.h"
#include "core/tools/workspace/real_place.h"

namespace skein::tools::sandbox {

namespace {

namespace fs = std::filesystem;
using Rule = GuardedPlace::Rule;

constexpr std::size_t most_folders = 200'000;

struct GitPlace {
  const char* name;
  Rule rule;
};
// What git runs, or reads to know what to run, in a repository's folder.
constexpr GitPlace git_places[] = {{"config", Rule::config},
                                   {"config.worktree", Rule::config},
                                   {"hooks", Rule::hooks},
                                   {"commondir", Rule::pointer},
                                   {"rebase-merge/git-rebase-todo", Rule::plan}};
// Further places in the home folder that have no name of their own.
constexpr std::string_view home_places =
    ".config/autostart .config/environment.d .config/fish .config/git .config/systemd .config/nvim "
    ".local/share/applications";

std::string joined(const std::string& folder, std::string_view name) {
  return (folder == "/" ? "" : folder) + "/" + std::string(name);
}

bool is_hex_pair(std::string_view name) {
  return name.size() == 2 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

// What matters of the names in a folder.
struct SelfRunning::Listing {
  std::vector<std::string> folders{};
  std::vector<std::string> self_running{};
  std::string git{};  // .git, however it is written
  bool git_is_folder = false;
  bool head = false, objects = false, common = false;
  // As git recognises one: objects may lie in the common folder.
  bool is_git_folder() const { return head && (objects || common); }
};

SelfRunning::SelfRunning(const std::vector<std::string>& areas, const std::string& home) {
  for (const std::string& path : areas) {
    Fd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) continue;
    areas_.push_back({path, std::move(fd)});
    folders_[path];
    tops_.insert(path);
  }
  std::error_code ignored;
  const std::string real_home = home.empty() ? "" : fs::weakly_canonical(home, ignored).string();
  if (real_home.empty() || !is_inside(real_home)) return;
  tops_.insert(real_home);
  for (const std::string_view name : model::self_running_in_home)
    add(joined(real_home, name), Rule::exact, Author::others);
  for (const std::string_view name : split(home_places, ' '))
    add(joined(real_home, name), Rule::exact, Author::others);
}

const SelfRunning::Area* SelfRunning::area_of(const std::string& path) const {
  const auto found = std::ranges::find_if(
      areas_, [&](const Area& area) { return workspace::is_below(path, area.path); });
  return found == areas_.end() ? nullptr : &*found;
}

bool SelfRunning::is_inside(const std::string& path) const { return area_of(path) != nullptr; }

SelfRunning::Opened SelfRunning::open_above(const std::string& path) const {
  const Area* area = area_of(path);
  if (area == nullptr || path == area->path) return {};
  const std::string relative = path.substr(area->path == "/" ? 1 : area->path.size() + 1);
  const std::size_t slash = relative.rfind('/');
  if (slash == std::string::npos) return {open_below(area->fd.get(), ""), relative};
  return {open_below(area->fd.get(), relative.substr(0, slash)), relative.substr(slash + 1)};
}

void SelfRunning::add(const std::string& path, Rule rule, Author author) {
  if (!is_inside(path)) return;
  const auto [place, added] = places_.try_emplace(path, GuardedPlace{rule});
  if (added) place->second.first_seen_after_command = author == Author::command;
}

void SelfRunning::add_git_folder(const std::string& path, Author author) {
  if (!is_inside(path) || !git_folders_.insert(path).second) return;
  for (const GitPlace& place : git_places) add(joined(path, place.name), place.rule, author);
}

std::vector<std::string> SelfRunning::changed_folders() {
  std::vector<std::string> changed;
  for (auto folder = folders_.begin(); folder != folders_.end();) {
    const auto& [path, state] = *folder;
    const Area* area = area_of(path);
    const char* relative = path.size() == area->path.size()
                               ? "."
                               : path.c_str() + (area->path == "/" ? 1 : area->path.size() + 1);
    struct stat info {};
    if (fstatat(area->fd.get(), relative, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISDIR(info.st_mode)) {
      if (!state.made_by_command) lost_.insert(path);
      folder = folders_.erase(folder);
      continue;
    }
    if (!surely_unchanged(state.stamp, stamp_of(info))) changed.push_back(path);
    ++folder;
  }
  return changed;
}

void SelfRunning::look(Author author) {
  renamed_.clear();
  std::vector<std::string> pending = changed_folders();
  while (!pending.empty() && folders_.size() < most_folders) {
    std::ranges::sort(pending);  // the outer before the inner
    std::vector<std::string> next;
    for (const std::string& path : pending) list(path, author, next);
    pending = std::move(next);
  }
}

void SelfRunning::list(const std::string& path, Author author, std::vector<std::string>& pending) {
  Folder& folder = folders_[path];
  const Area* area = area_of(path);
  const Opened above = open_above(path);
  const int from = path == area->path ? area->fd.get() : above.folder.get();
  const std::string name = path == area->path ? "." : above.name;
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Fd fd(openat(from, name.c_str(), flags));
  // A command may close a folder to readers; git would still find its way through it.
  if (!fd && errno == EACCES && author == Author::command &&
      fchmodat(from, name.c_str(), S_IRWXU, AT_SYMLINK_NOFOLLOW) == 0)
    fd = Fd(openat(from, name.c_str(), flags));
  struct stat info {};
  if (!fd || fstat(fd.get(), &info) != 0) return;
  folder.stamp = stamp_of(info);
  recognise(path, fd.get(), folder);
  const bool in_objects = fs::path(path).filename() == "objects";
  Listing listing;
  each_name(std::move(fd), [&](const std::string& each, bool is_folder) {
    const model::SelfRunning read = model::self_running(each);
    if (read == model::SelfRunning::git) {
      listing.git = each;
      listing.git_is_folder = is_folder;
    } else if (read == model::SelfRunning::in_projects) {
      listing.self_running.push_back(each);
    } else if (is_folder && !(in_objects && is_hex_pair(each))) {
      listing.folders.push_back(each);
    }
    listing.head |= each == "HEAD";
    listing.objects |= each == "objects";
    listing.common |= each == "commondir";
  });
  take_in(path, listing, author, pending);
}

// A folder that was only renamed is still whose it was.
void SelfRunning::recognise(const std::string& path, int fd, Folder& folder) {
  struct statx info {};
  statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &info);
  const Identity identity{
      folder.stamp.id.device, folder.stamp.id.inode,
      std::int64_t{info.stx_btime.tv_sec} * 1'000'000'000 + info.stx_btime.tv_nsec};
  const auto [known, added] = known_.try_emplace(identity, Known{path, folder.made_by_command});
  if (added || known->second.path == path) return;
  folder.made_by_command = known->second.made_by_command;
  renamed_[path] = std::exchange(known->second.path, path);
}

std::string SelfRunning::earlier_name(const std::string& path) const {
  const fs::path whole = path;
  const auto found = renamed_.find(whole.parent_path());
  return found == renamed_.end() ? path : joined(found->second, whole.filename().string());
}

void SelfRunning::take_in(const std::string& path, const Listing& listing, Author author,
                          std::vector<std::string>& pending) {
  const Folder folder = folders_[path];
  const auto enter = [&](const std::string& name, bool in_git) {
    const std::string inner = joined(path, name);
    if (folders_.contains(inner)) return;
    folders_[inner] = {.in_git = in_git,
                       .of_packages = folder.of_packages || name == "node_modules",
                       .made_by_command = author == Author::command && !lost_.contains(inner)};
    pending.push_back(inner);
  };
  const bool is_git_folder = listing.is_git_folder() || git_folders_.contains(path);
  if (is_git_folder) add_git_folder(path, author);
  for (const std::string& name : listing.folders)
    // In .git only these lead to further repositories; the rest is git's own by the thousand.
    if (!(folder.in_git && is_git_folder) || name == "modules" || name == "worktrees")
      enter(name, folder.in_git);
  if (folder.in_git) return;
  if (!listing.git.empty()) {
    tops_.insert(path);
    if (listing.git_is_folder) {
      add_git_folder(joined(path, listing.git), author);
      enter(listing.git, true);
    } else {
      add(joined(path, listing.git), Rule::pointer, author);
    }
  }
  if (folder.of_packages || folder.made_by_command) return;
  for (const std::string& name : listing.self_running) add(joined(path, name), Rule::exact, author);
}

std::string SelfRunning::follow(const std::string& path, Author author) {
  std::vector<std::string> links;
  const std::string end = workspace::real_place("/" + path, &links);
  for (const std::string& link : links) add(link, Rule::exact, author);
  return end;
}

}  // namespace skein::tools::sandbox
