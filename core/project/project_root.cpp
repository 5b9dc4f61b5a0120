#include "core/project/project_root.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

namespace skein::project {

namespace {

std::optional<uid_t> owner_of(const std::string& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0) return std::nullopt;
  return info.st_uid;
}

// As a file or a folder; a link does not count.
bool has(const std::string& folder, const char* name) {
  struct stat info {};
  return lstat((folder + "/" + name).c_str(), &info) == 0 &&
         (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

bool has_git(const std::string& folder) { return has(folder, ".git"); }

bool has_project_files(const std::string& folder) {
  return has_git(folder) || has(folder, ".skein") || has(folder, "AGENTS.md");
}

std::string real(const std::string& folder) {
  std::error_code failed;
  const std::string path = std::filesystem::canonical(folder, failed).string();
  return failed ? folder : path;
}

// From `workspace` up to the nearest folder that is a root; without one, the workspace alone.
std::vector<std::string> folders_up_to(bool (*is_root)(const std::string&),
                                       const std::string& workspace, const std::string& home) {
  const std::string top = home.empty() ? "" : real(home);
  const std::optional<uid_t> owner = owner_of(workspace);
  std::vector<std::string> folders;
  for (std::string folder = workspace;; folder = std::filesystem::path(folder).parent_path()) {
    // One that is started in somebody's folder may read what is theirs, and what is the user's.
    const std::optional<uid_t> its = owner_of(folder);
    if (!its || (its != owner && *its != geteuid())) break;
    folders.push_back(folder);
    if (is_root(folder)) return folders;
    if (folder == top || folder == "/" || folder.empty()) break;
  }
  return {workspace};
}

}  // namespace

std::vector<std::string> project_folders(const std::string& workspace, const std::string& home) {
  return folders_up_to(has_git, workspace, home);
}

std::string project_root(const std::string& workspace, const std::string& home) {
  return project_folders(workspace, home).back();
}

std::optional<std::string> root_above(const std::string& workspace, const std::string& home) {
  for (const auto is_root : {has_git, has_project_files}) {
    const std::string root = folders_up_to(is_root, workspace, home).back();
    if (root != workspace && root != real(home)) return root;
    if (is_root(workspace)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace skein::project
