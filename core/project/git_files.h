// What git's own small files say, read without running git.
#pragma once

#include <filesystem>
#include <string>

namespace skein::project {

// The folder that belongs to the checkout at `root`: its .git, or what that names if it is the file
// of a worktree.
std::filesystem::path own_git_folder(const std::filesystem::path& root);

// The branch that is checked out where `folder` is, or the start of the commit's name if none is;
// empty: this is no repository.
std::string git_branch(const std::filesystem::path& folder);

}  // namespace skein::project
