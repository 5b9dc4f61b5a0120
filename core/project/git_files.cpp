#include "core/project/git_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <string_view>

#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

namespace fs = std::filesystem;

}  // namespace

std::string beginning_of(const fs::path& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  const Fd fd(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::string out;
  if (fd)
    read_pieces(fd.get(), 64u << 10, [&](std::string_view piece) {
      out += piece;
      return true;
    });
  return out;
}

fs::path own_git_folder(const fs::path& root) {
  const fs::path git = root / ".git";
  constexpr std::string_view word = "gitdir:";
  const std::string pointer = beginning_of(git);
  if (!pointer.starts_with(word)) return git;
  return root / trimmed(std::string_view(pointer).substr(word.size()));
}

std::string git_branch(const fs::path& folder) {
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    const std::string head = beginning_of(own_git_folder(at) / "HEAD");
    const std::string_view line = trimmed(std::string_view(head).substr(0, head.find('\n')));
    constexpr std::string_view start = "ref: refs/heads/";
    if (!line.empty())
      return std::string(line.starts_with(start) ? line.substr(start.size()) : line.substr(0, 8));
    if (at == at.parent_path()) break;
  }
  return {};
}

}  // namespace skein::project
