// Walks open folders of the workspace, but not what git ignores, what is closed, and .git itself.
#pragma once

#include "core/workspace/ignored_paths.h"
#include "core/workspace/root.h"

namespace skein::workspace {

struct Walked {
  const std::string& path;  // as people write it: relative to the workspace
  const FilePlace& place;
  EntryKind kind;
  int depth;  // 1: directly in the folder that was named
};

struct WalkOptions {
  int depth = 64;  // how deep to go; folders below are named but not entered
  // What a rule forbids, by its path below the workspace after links: neither named nor entered.
  std::function<bool(std::string_view below)> denied{};
};

enum class WalkControl { go_on, stop };

// From `start`, which people call `path`. A folder before what is in it, names sorted. Symbolic
// links are named, never followed. A folder that was named itself is walked even if git ignores it.
// Returns the reason why nothing could be walked; empty otherwise.
std::string walk_tree(const Root& root, const std::string& path, const FilePlace& start,
                      const WalkOptions& options,
                      const std::function<WalkControl(const Walked&)>& visit);

}  // namespace skein::workspace
