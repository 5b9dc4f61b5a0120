// self_running_files: what a command could plant below the workspace to be run later, unasked.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>

#include "core/tools/sandbox.h"

namespace skein {

namespace {

namespace fs = std::filesystem;

constexpr int deepest = 5;
constexpr std::size_t most_folders = 4000;

// Read by shells and git from the home folder, whether they exist yet or not.
constexpr std::array start_up_files{
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile",  ".zshrc",
    ".zshenv", ".zprofile",     ".zlogin",     ".zlogout",     ".kshrc",    ".cshrc",
    ".tcshrc", ".login",        ".gitconfig",  ".inputrc",     ".xprofile", ".pam_environment",
};

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

// As git itself recognises one: .git, a bare repository, a submodule's folder in .git/modules.
bool is_git_folder(const fs::path& folder) {
  std::error_code ignored;
  return is_folder(folder / "objects") && is_folder(folder / "refs") &&
         fs::exists(folder / "HEAD", ignored);
}

}  // namespace

std::vector<std::string> self_running_files(const std::string& root, const std::string& home) {
  std::vector<std::string> found;
  struct Pending {
    fs::path folder;
    int depth;
  };
  std::deque<Pending> pending{{root, 0}};
  for (std::size_t seen = 0; !pending.empty() && seen < most_folders; ++seen) {
    const Pending current = pending.front();
    pending.pop_front();
    const bool in_git = is_git_folder(current.folder);
    if (in_git) {
      found.push_back(current.folder / "config");
      // Where there is no folder for hooks yet, an empty one does no harm.
      std::error_code ignored;
      fs::create_directory(current.folder / "hooks", ignored);
      found.push_back(current.folder / "hooks");
    }
    if (current.depth >= deepest) continue;
    std::error_code error;
    for (fs::directory_iterator entry(current.folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename();
      if (is_folder(entry->path()) && (!in_git || name == "modules"))
        pending.push_back({entry->path(), current.depth + (in_git ? 0 : 1)});
    }
  }
  const bool home_inside = !home.empty() && (home == root || home.starts_with(root + "/"));
  if (home_inside)
    for (const char* name : start_up_files) found.push_back(home + "/" + name);
  // A link is left to the place it leads to; as a mount point it would stop every command.
  std::erase_if(found, [](const std::string& path) {
    std::error_code ignored;
    return fs::is_symlink(fs::symlink_status(path, ignored));
  });
  return found;
}

}  // namespace skein
