// What `skein completion SHELL` prints: a script that asks `skein __complete` at every Tab, so that
// what it knows is always what the installed skein knows.
#pragma once

#include <span>
#include <string_view>

namespace skein::completion {

struct ShellScript {
  std::string_view shell;
  std::string_view script;
};
std::span<const ShellScript> shell_scripts();

}  // namespace skein::completion
