#include "core/project/git_files.h"

#include <string_view>

#include "core/text/small_file.h"
#include "core/text/text.h"

namespace skein::project {

namespace fs = std::filesystem;

fs::path own_git_folder(const fs::path& root) {
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

}  // namespace skein::project
