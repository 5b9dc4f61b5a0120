#include "core/project/project_id.h"

#include <algorithm>
#include <filesystem>

#include "core/project/git_files.h"
#include "core/text/sha256.h"
#include "core/text/small_file.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

namespace fs = std::filesystem;

// A worktree's .git is a file that names a folder, whose `commondir` names the repository.
fs::path git_folder(const std::string& root) {
  const fs::path own = own_git_folder(root);
  const std::string common = file_beginning(own / "commondir");
  return common.empty() ? own : own / trimmed(common);
}

}  // namespace

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
