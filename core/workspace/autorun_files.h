// The names of files and folders whose contents other programs run without asking: git, an editor,
// direnv, a shell. What is written there would later run outside the sandbox, so no rule allows it
// without asking and no command can leave it behind. The same holds for ignore files of the model.
#pragma once

#include "core/text/std.h"

#include "core/text/text.h"

namespace skein::workspace {

inline constexpr std::string_view autorun_in_projects[] = {
    ".agents",       ".aiderignore",  ".aiignore", ".claude",       ".crushignore",
    ".cursorignore", ".devcontainer", ".envrc",    ".geminiignore", ".githooks",
    ".gooseignore",  ".husky",        ".idea",     ".mcp.json",     ".skein",
    ".skeinignore",  ".vscode"};
inline constexpr std::string_view autorun_in_home[] = {
    ".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc",  ".cshrc",
    ".gitconfig",    ".inputrc",    ".kshrc",       ".login",        ".profile", ".pam_environment",
    ".ssh",          ".tcshrc",     ".tmux.conf",   ".vimrc",        ".xinitrc", ".xprofile",
    ".xsession",     ".zlogin",     ".zlogout",     ".zprofile",     ".zshenv",  ".zshrc"};

enum class Autorun { no, git, in_projects, in_home };

// Of one component of a path. Some file systems do not tell .GIT from .git.
inline Autorun autorun(std::string_view component) {
  if (!component.starts_with('.')) return Autorun::no;
  const std::string small = lower(component);
  const auto is_in = [&](const auto& names) {
    return std::ranges::find(names, small) != std::end(names);
  };
  return small == ".git"              ? Autorun::git
         : is_in(autorun_in_projects) ? Autorun::in_projects
         : is_in(autorun_in_home)     ? Autorun::in_home
                                      : Autorun::no;
}

// The first component of the path that has such a name; empty: none has.
inline std::string_view autorun_part(std::string_view path) {
  for (const std::string_view part : split(path, '/'))
    if (autorun(part) != Autorun::no) return part;
  return {};
}
inline bool is_autorun_path(std::string_view path) { return !autorun_part(path).empty(); }

}  // namespace skein::workspace
