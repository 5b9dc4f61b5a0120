// Files and folders whose contents other programs run unasked: git, an editor, direnv, a shell.
// What is written there would later run outside the sandbox, so no rule allows writing it without
// asking, and what a sandboxed command writes there is undone. The same holds for files that say
// what the model is kept from.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "core/text/text.h"

namespace skein::model {

inline constexpr std::string_view self_running_in_projects[] = {
    ".agents",       ".aiderignore",  ".aiignore", ".claude",       ".crushignore",
    ".cursorignore", ".devcontainer", ".envrc",    ".geminiignore", ".githooks",
    ".gooseignore",  ".husky",        ".idea",     ".mcp.json",     ".skein",
    ".skeinignore",  ".vscode"};
inline constexpr std::string_view self_running_in_home[] = {
    ".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc",  ".cshrc",
    ".gitconfig",    ".inputrc",    ".kshrc",       ".login",        ".profile", ".pam_environment",
    ".ssh",          ".tcshrc",     ".tmux.conf",   ".vimrc",        ".xinitrc", ".xprofile",
    ".xsession",     ".zlogin",     ".zlogout",     ".zprofile",     ".zshenv",  ".zshrc"};

enum class SelfRunning { no, git, in_projects, in_home };

// Of one component of a path. Some file systems do not tell .GIT from .git.
inline SelfRunning self_running(std::string_view component) {
  if (!component.starts_with('.')) return SelfRunning::no;
  const std::string small = lower(component);
  const auto is_in = [&](const auto& names) {
    return std::ranges::find(names, small) != std::end(names);
  };
  return small == ".git"                   ? SelfRunning::git
         : is_in(self_running_in_projects) ? SelfRunning::in_projects
         : is_in(self_running_in_home)     ? SelfRunning::in_home
                                           : SelfRunning::no;
}

// Whether a component of a path says so.
inline bool runs_by_itself(std::string_view path) {
  return std::ranges::any_of(split(path, '/'), [](std::string_view part) {
    return self_running(part) != SelfRunning::no;
  });
}

}  // namespace skein::model
