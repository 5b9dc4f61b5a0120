// How a user names an entry of the open session: the beginning of its id, or `#n`, the n-th message
// of theirs on this branch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base.h"

namespace skein {

class Shell;

Id entry_named(Shell& shell, std::string_view name);  // throws Error if there is none
std::vector<std::string> entry_names(Shell& shell, std::string_view start);

}  // namespace skein
