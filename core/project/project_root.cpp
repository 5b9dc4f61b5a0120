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

bool has_git(const std::string& folder) {
  struct stat info {};
  return lstat((folder + "/.git").c_str(), &info) == 0 &&
         (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

std::string real(const std::string& folder) {
  std::error_code failed;
  const std::string path = std::filesystem::canonical(folder, failed).string();
  return failed ? folder : path;
}

}  // namespace

std::vector<std::string> project_folders(const std::string& workspace, const std::string& home) {
  const std::string top = home.empty() ? "" : real(home);
  const std::optional<uid_t> owner = owner_of(workspace);
  std::vector<std::string> folders;
  for (std::string folder = workspace;; folder = std::filesystem::path(folder).parent_path()) {
    // One that is started in somebody's folder may read what is theirs, and what is the user's.
    const std::optional<uid_t> its = owner_of(folder);
    if (!its || (its != owner && *its != geteuid())) break;
    folders.push_back(folder);
    if (has_git(folder)) return folders;
    if (folder == top || folder == "/" || folder.empty()) break;
  }
  return {workspace};
}

std::string project_root(const std::string& workspace, const std::string& home) {
  return project_folders(workspace, home).back();
}

}  // namespace skein::project
