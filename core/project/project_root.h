// Where the project of a workspace begins, and how it is identified: by the address of its git
// remote, so that clones and worktrees are one project. Reads git's small files without running
// git.
#pragma once

#include "core/text/std.h"

namespace skein::project {

// The branch that is checked out where `folder` is, or the start of the commit's name if none is;
// empty: this is no repository.
std::string git_branch(const std::filesystem::path& folder);

// The nearest folder from `workspace` upwards that has a .git (a worktree's is a file); never above
// `home`, never past a folder that belongs to someone else. Without one, the workspace itself,
// which is absolute and has no links in it.
std::string project_root(const std::string& workspace, const std::string& home);

// The folders from `workspace` up to that root, the nearest first.
std::vector<std::string> project_folders(const std::string& workspace, const std::string& home);

// The project's root if it is above `workspace` and is not `home`. Without a .git the nearest
// folder with .skein or AGENTS.md counts.
std::optional<std::string> root_above(const std::string& workspace, const std::string& home);

// By the address of the repository's remote, else by its place. 16 hex digits.
std::string project_id(const std::string& root);
// host/path of its git remote, the same on every machine; empty: it has none.
std::string project_remote(const std::string& root);

// An address without what may differ between clones: "github.com/owner/name" for
// git@github.com:owner/name.git and https://github.com/owner/name. Pure.
std::string plain_address(std::string_view url);
// The address of `origin`, else of the first remote, in git's configuration; empty: none. Pure.
std::string remote_in(std::string_view config);

}  // namespace skein::project
