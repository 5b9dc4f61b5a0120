#include "core/tools/workspace/ignore.h"

#include <algorithm>
#include <ranges>

#include "core/text/glob.h"
#include "core/text/text.h"

namespace skein::tools::workspace {

namespace {

IgnoreFile::Pattern parse_pattern(std::string_view line) {
  IgnoreFile::Pattern pattern;
  if (line.ends_with('\r')) line.remove_suffix(1);
  // Blanks at the end do not count unless the last is escaped.
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  if (line.starts_with('#')) return pattern;
  if (line.starts_with('!')) {
    pattern.negated = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    pattern.folders_only = true;
    line.remove_suffix(1);
  }
  pattern.anchored = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  pattern.glob = line;
  return pattern;
}

}  // namespace

IgnoreFile parse_ignore_file(std::string_view folder, std::string_view text) {
  IgnoreFile file{std::string(folder), {}};
  std::size_t number = 0;
  for (const auto line : split(text, '\n')) {
    IgnoreFile::Pattern pattern = parse_pattern(line);
    pattern.line = ++number;
    if (!pattern.glob.empty()) file.patterns.push_back(std::move(pattern));
  }
  return file;
}

bool is_ignored(const std::vector<IgnoreFile>& files, std::string_view path, EntryKind kind) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const IgnoreFile& file : files | std::views::reverse) {
    std::string_view below = path;
    if (!file.folder.empty()) {
      if (!path.starts_with(file.folder + "/")) continue;
      below.remove_prefix(file.folder.size() + 1);
    }
    for (const auto& pattern : file.patterns | std::views::reverse) {
      if (pattern.folders_only && kind != EntryKind::folder) continue;
      if (glob_match(pattern.glob, pattern.anchored ? below : name)) return !pattern.negated;
    }
  }
  return false;
}

}  // namespace skein::tools::workspace
