// Files and folders whose contents other programs run unasked: git, an editor, direnv, a shell.
// What is written there would later run outside the sandbox, so no rule allows writing it without
// asking, and what a sandboxed command writes there is undone.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace skein::model {

struct SelfRunningName {
  std::string_view name;
  enum class Read { git, in_projects, in_home } read;
};

constexpr auto self_running_names = std::to_array<SelfRunningName>({
    {".git", SelfRunningName::Read::git},
    {".devcontainer", SelfRunningName::Read::in_projects},
    {".envrc", SelfRunningName::Read::in_projects},
    {".githooks", SelfRunningName::Read::in_projects},
    {".husky", SelfRunningName::Read::in_projects},
    {".idea", SelfRunningName::Read::in_projects},
    {".skein", SelfRunningName::Read::in_projects},
    {".vscode", SelfRunningName::Read::in_projects},
    {".bash_aliases", SelfRunningName::Read::in_home},
    {".bash_login", SelfRunningName::Read::in_home},
    {".bash_logout", SelfRunningName::Read::in_home},
    {".bash_profile", SelfRunningName::Read::in_home},
    {".bashrc", SelfRunningName::Read::in_home},
    {".cshrc", SelfRunningName::Read::in_home},
    {".gitconfig", SelfRunningName::Read::in_home},
    {".inputrc", SelfRunningName::Read::in_home},
    {".kshrc", SelfRunningName::Read::in_home},
    {".login", SelfRunningName::Read::in_home},
    {".pam_environment", SelfRunningName::Read::in_home},
    {".profile", SelfRunningName::Read::in_home},
    {".ssh", SelfRunningName::Read::in_home},
    {".tcshrc", SelfRunningName::Read::in_home},
    {".tmux.conf", SelfRunningName::Read::in_home},
    {".vimrc", SelfRunningName::Read::in_home},
    {".xinitrc", SelfRunningName::Read::in_home},
    {".xprofile", SelfRunningName::Read::in_home},
    {".xsession", SelfRunningName::Read::in_home},
    {".zlogin", SelfRunningName::Read::in_home},
    {".zlogout", SelfRunningName::Read::in_home},
    {".zprofile", SelfRunningName::Read::in_home},
    {".zshenv", SelfRunningName::Read::in_home},
    {".zshrc", SelfRunningName::Read::in_home},
});

// The row of one component of a path, or nullptr. Some file systems do not tell .GIT from .git.
inline const SelfRunningName* self_running_name(std::string_view component) {
  if (!component.starts_with('.')) return nullptr;
  std::string small(component);
  std::ranges::transform(small, small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  const auto found = std::ranges::find(self_running_names, small, &SelfRunningName::name);
  return found == self_running_names.end() ? nullptr : &*found;
}

}  // namespace skein::model
