// What a project is called where something is kept for it, so that its clones and worktrees are
// one.
#pragma once

#include <string>
#include <string_view>

namespace skein::project {

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
