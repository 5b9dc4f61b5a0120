// Where the project begins that a workspace is part of: what concerns all of it is written there,
// and a session may be started in any folder below.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace skein::project {

// The nearest folder from `workspace` upwards that has a .git (a worktree's is a file); never above
// `home`, never past a folder that belongs to someone else. Without one, the workspace itself,
// which is absolute and has no links in it.
std::string project_root(const std::string& workspace, const std::string& home);

// The folders from `workspace` up to that root, the nearest first.
std::vector<std::string> project_folders(const std::string& workspace, const std::string& home);

// The project's root if it is above `workspace` and is not `home`. Without a .git the nearest
// folder with .skein or AGENTS.md counts.
std::optional<std::string> root_above(const std::string& workspace, const std::string& home);

}  // namespace skein::project
