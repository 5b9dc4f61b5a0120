#include "core/sandbox/autorun_files.h"

#include "core/text/std.h"

#include <fcntl.h>

#include "core/text/text.h"
#include "core/workspace/autorun_files.h"

namespace skein::sandbox {

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
struct AutorunFiles::Listing {
  std::vector<std::string> folders{};
  std::vector<std::string> self_running{};
  std::string git{};  // .git, however it is written
  bool git_is_folder = false;
  bool head = false, objects = false, common = false;
  // As git recognises one: objects may lie in the common folder.
  bool is_git_folder() const { return head && (objects || common); }
};

AutorunFiles::AutorunFiles(const std::vector<std::string>& areas, const std::string& home) {
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
  for (const std::string_view name : workspace::autorun_in_home)
    add(joined(real_home, name), Rule::exact, Author::others);
  for (const std::string_view name : split(home_places, ' '))
    add(joined(real_home, name), Rule::exact, Author::others);
}

const AutorunFiles::Area* AutorunFiles::area_of(const std::string& path) const {
  const auto found = std::ranges::find_if(
      areas_, [&](const Area& area) { return workspace::is_below(path, area.path); });
  return found == areas_.end() ? nullptr : &*found;
}

bool AutorunFiles::is_inside(const std::string& path) const { return area_of(path) != nullptr; }

AutorunFiles::Opened AutorunFiles::open_above(const std::string& path) const {
  const Area* area = area_of(path);
  if (area == nullptr || path == area->path) return {};
  const std::string relative = path.substr(area->path == "/" ? 1 : area->path.size() + 1);
  const std::size_t slash = relative.rfind('/');
  if (slash == std::string::npos) return {open_below(area->fd.get(), ""), relative};
  return {open_below(area->fd.get(), relative.substr(0, slash)), relative.substr(slash + 1)};
}

void AutorunFiles::add(const std::string& path, Rule rule, Author author) {
  if (!is_inside(path)) return;
  const auto [place, added] = places_.try_emplace(path, GuardedPlace{rule});
  if (added) place->second.first_seen_after_command = author == Author::command;
}

void AutorunFiles::add_git_folder(const std::string& path, Author author) {
  if (!is_inside(path) || !git_folders_.insert(path).second) return;
  for (const GitPlace& place : git_places) add(joined(path, place.name), place.rule, author);
}

std::vector<std::string> AutorunFiles::changed_folders() {
  std::vector<std::string> changed;
  for (auto next = folders_.begin(); next != folders_.end();) {
    const auto folder = next++;
    auto& [path, state] = *folder;
    if (state.gone) continue;
    const Area* area = area_of(path);
    const char* relative = path.size() == area->path.size()
                               ? "."
                               : path.c_str() + (area->path == "/" ? 1 : area->path.size() + 1);
    struct stat info {};
    if (fstatat(area->fd.get(), relative, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(info.st_mode)) {
      if (!surely_unchanged(state.stamp, stamp_of(info))) changed.push_back(path);
      continue;
    }
    state.gone = true;
    touch(path, state);
    if (state.made_by_command) folders_.erase(folder);
  }
  return changed;
}

bool AutorunFiles::look(Author author, const std::function<bool()>& stopped) {
  renamed_.clear();
  std::vector<std::string> pending = changed_folders();
  while (!pending.empty() && folders_.size() < most_folders) {
    std::ranges::sort(pending);  // the outer before the inner
    std::vector<std::string> next;
    for (const std::string& path : pending) {
      if (stopped()) return false;
      list(path, is_busy(path) ? Author::command : author, next);
    }
    pending = std::move(next);
  }
  return true;
}

void AutorunFiles::list(const std::string& path, Author author, std::vector<std::string>& pending) {
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
    const workspace::Autorun read = workspace::autorun(each);
    if (read == workspace::Autorun::git) {
      listing.git = each;
      listing.git_is_folder = is_folder;
    } else if (read == workspace::Autorun::in_projects) {
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
void AutorunFiles::recognise(const std::string& path, int fd, Folder& folder) {
  struct statx info {};
  statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &info);
  const Identity identity{
      folder.stamp.id.device, folder.stamp.id.inode,
      std::int64_t{info.stx_btime.tv_sec} * 1'000'000'000 + info.stx_btime.tv_nsec};
  if (std::exchange(folder.identity, identity) != identity) touch(path, folder);
  const auto [known, added] = known_.try_emplace(identity, Known{path, folder.made_by_command});
  if (added || known->second.path == path) return;
  folder.made_by_command = known->second.made_by_command;
  renamed_[path] = std::exchange(known->second.path, path);
}

void AutorunFiles::touch(const std::string& path, Folder& folder) {
  if (!std::exchange(folder.unsaved, true)) unsaved_.push_back(path);
}

bool AutorunFiles::is_busy(const std::string& path) const {
  return std::ranges::any_of(
      busy_, [&](const std::string& folder) { return workspace::is_below(path, folder); });
}

bool AutorunFiles::save(Packer& out, Extent extent) {
  if (extent == Extent::everything)
    for (auto& [path, folder] : folders_) touch(path, folder);
  out.number(unsaved_.size());
  for (const std::string& path : unsaved_) {
    const auto found = folders_.find(path);
    const Folder folder =
        found != folders_.end() ? found->second : Folder{.made_by_command = true, .gone = true};
    if (found != folders_.end()) found->second.unsaved = false;
    out.text(path);
    out.number(folder.identity.device);
    out.number(folder.identity.inode);
    out.number(static_cast<std::uint64_t>(folder.identity.born_ns));
    out.number(folder.in_git * 1u + folder.of_packages * 2u + folder.made_by_command * 4u +
               folder.gone * 8u);
  }
  return !std::exchange(unsaved_, {}).empty();
}

void AutorunFiles::load(Unpacker& in) {
  for (std::uint64_t count = in.number(); count > 0 && in.ok(); --count) {
    const std::string path = in.text();
    Folder folder;
    folder.identity = {in.number(), in.number(), static_cast<std::int64_t>(in.number())};
    const std::uint64_t bits = in.number();
    folder.in_git = bits & 1u;
    folder.of_packages = bits & 2u;
    folder.made_by_command = bits & 4u;
    folder.gone = bits & 8u;
    if (!in.ok() || !is_inside(path)) continue;
    if (folder.identity.inode != 0) known_[folder.identity] = {path, folder.made_by_command};
    folders_[path] = folder;
    if (folder.gone && folder.made_by_command) folders_.erase(path);
  }
}

// A repository is known by the pointer that every one of them has.
void AutorunFiles::load_place(const std::string& path, GuardedPlace place) {
  if (!is_inside(path)) return;
  const fs::path whole = path;
  if (place.rule == Rule::pointer && whole.filename() == "commondir")
    git_folders_.insert(whole.parent_path());
  places_.insert_or_assign(path, place);
}

std::string AutorunFiles::earlier_name(const std::string& path) const {
  const fs::path whole = path;
  const auto found = renamed_.find(whole.parent_path());
  return found == renamed_.end() ? path : joined(found->second, whole.filename().string());
}

void AutorunFiles::take_in(const std::string& path, const Listing& listing, Author author,
                           std::vector<std::string>& pending) {
  const Folder folder = folders_[path];
  const auto enter = [&](const std::string& name, bool in_git) {
    const std::string inner = joined(path, name);
    const auto [entered, added] = folders_.try_emplace(inner);
    Folder& known = entered->second;
    if (!added && !known.gone) return;
    known = {.in_git = in_git,
             .of_packages = folder.of_packages || name == "node_modules",
             .made_by_command = author == Author::command && added,
             .unsaved = known.unsaved};
    touch(inner, known);
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

std::string AutorunFiles::follow(const std::string& path, Author author) {
  std::vector<std::string> links;
  const std::string end = workspace::real_place("/" + path, &links);
  for (const std::string& link : links) add(link, Rule::exact, author);
  return end;
}

}  // namespace skein::sandbox
