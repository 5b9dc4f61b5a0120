// The variables a command gets: those on a list, never a key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein::tools::sandbox {

// From `own` (NAME=value, as environ has it) what is on the list, and settings that
// keep programs from waiting for a person. Names that look like secrets are never passed on, nor
// values with a password in a URL, even if they are on the list.
std::vector<std::string> command_environment(const std::vector<std::string>& own,
                                             std::string_view temporary);
std::vector<std::string> own_environment();

}  // namespace skein::tools::sandbox
