// How a user names an entry of the open session: the beginning of its id, or `#n`, the n-th message
// of theirs on this branch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/base.h"

namespace skein::repl {
class Shell;
}  // namespace skein::repl

namespace skein::commands {

Id entry_named(repl::Shell& shell, std::string_view name);  // throws Error if there is none
std::vector<std::string> entry_names(repl::Shell& shell, std::string_view start);

}  // namespace skein::commands
