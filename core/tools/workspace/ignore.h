// Which files git would ignore: the patterns of .gitignore files, innermost and last one first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skein::tools::workspace {

// The patterns of one file, and the folder they are relative to ("" is the workspace).
struct IgnoreFile {
  struct Pattern {
    std::string glob;
    bool negated = false;
    bool folders_only = false;
    bool anchored = false;  // holds a slash: matched against the path, not only the name
    std::size_t line = 0;   // in its file, from 1
  };
  std::string folder;
  std::vector<Pattern> patterns;
};
IgnoreFile parse_ignore_file(std::string_view folder, std::string_view text);

enum class EntryKind { file, folder, link };

// `files` from the outermost to the innermost. `path` is relative to the workspace, and its parent
// folders are known not to be ignored: what lies in an ignored folder cannot be brought back.
bool is_ignored(const std::vector<IgnoreFile>& files, std::string_view path, EntryKind kind);

}  // namespace skein::tools::workspace
