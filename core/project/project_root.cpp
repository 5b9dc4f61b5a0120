#include "core/project/project_root.h"

#include "core/text/std.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/text/checksum.h"
#include "core/text/io.h"
#include "core/text/text.h"

namespace skein::project {

namespace fs = std::filesystem;

// The folder that belongs to the checkout at `root`: its .git, or what that names if it is the file
// of a worktree.
static fs::path own_git_folder(const fs::path& root) {
  const fs::path git = root / ".git";
  constexpr std::string_view word = "gitdir:";
  const std::string pointer = file_beginning(git);
  if (!pointer.starts_with(word)) return git;
  return root / trimmed(std::string_view(pointer).substr(word.size()));
}

std::string git_branch(const fs::path& folder) {
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    const std::string head = file_beginning(own_git_folder(at) / "HEAD");
    const std::string_view line = trimmed(std::string_view(head).substr(0, head.find('\n')));
    constexpr std::string_view start = "ref: refs/heads/";
    if (!line.empty())
      return std::string(line.starts_with(start) ? line.substr(start.size()) : line.substr(0, 8));
    if (at == at.parent_path()) break;
  }
  return {};
}

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
  const std::string path = fs::canonical(folder, failed).string();
  return failed ? folder : path;
}

// From `workspace` up to the nearest folder that is a root; without one, the workspace alone.
std::vector<std::string> folders_up_to(bool (*is_root)(const std::string&),
                                       const std::string& workspace, const std::string& home) {
  const std::string top = home.empty() ? "" : real(home);
  const std::optional<uid_t> owner = owner_of(workspace);
  std::vector<std::string> folders;
  for (std::string folder = workspace;; folder = std::filesystem::path(folder).parent_path()) {
    // One that is started in another user's folder may read what is theirs, and what is the user's.
    const std::optional<uid_t> its = owner_of(folder);
    if (!its || (its != owner && *its != geteuid())) break;
    folders.push_back(folder);
    if (is_root(folder)) return folders;
    if (folder == top || folder == "/" || folder.empty()) break;
  }
  return {workspace};
}

// A worktree's .git is a file that names a folder, whose `commondir` names the repository.
fs::path git_folder(const std::string& root) {
  const fs::path own = own_git_folder(root);
  const std::string common = file_beginning(own / "commondir");
  return common.empty() ? own : own / trimmed(common);
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

std::string remote_in(std::string_view config) {
  std::string first, section;
  for (std::string_view line : split(config, '\n')) {
    line = trimmed(line);
    if (line.starts_with('[')) section = line;
    const std::size_t equals = line.find('=');
    if (!section.starts_with("[remote ") || equals == std::string_view::npos ||
        trimmed(line.substr(0, equals)) != "url")
      continue;
    const std::string url(trimmed(line.substr(equals + 1), " \t\""));
    if (section == "[remote \"origin\"]") return url;
    if (first.empty()) first = url;
  }
  return first;
}

std::string plain_address(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const bool has_scheme = scheme != std::string_view::npos;
  if (has_scheme) url.remove_prefix(scheme + 3);
  const std::size_t host_end = std::min(url.find_first_of("/:"), url.size());
  if (const std::size_t at = url.rfind('@', std::min(url.find('/'), url.size()));
      at != std::string_view::npos)
    url.remove_prefix(at + 1);
  std::string out(url);
  // host:path, as scp writes it; with a scheme it is a port.
  if (const std::size_t colon = out.find(':');
      !has_scheme && host_end > 0 && colon < std::min(out.find('/'), out.size()))
    out[colon] = '/';
  while (out.ends_with('/')) out.pop_back();
  if (out.ends_with(".git")) out.resize(out.size() - 4);
  const std::size_t host = std::min(out.find('/'), out.size());
  return lower(out.substr(0, host)) + out.substr(host);
}

std::string project_remote(const std::string& root) {
  const std::string remote = remote_in(file_beginning(git_folder(root) / "config"));
  return remote.empty() ? "" : plain_address(remote);
}

std::string project_id(const std::string& root) {
  const std::string remote = project_remote(root);
  return sha256_hex(remote.empty() ? "folder " + root : "remote " + remote).substr(0, 16);
}

}  // namespace skein::project
