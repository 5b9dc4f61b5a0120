// The variables a command gets: those on a list, never a key.
#pragma once

#include "core/text/std.h"

namespace skein::process {

// From `own` (NAME=value) what is on the list, and settings that keep programs from waiting for a
// person. Never what looks like a secret by its name, nor a URL with a password.
std::vector<std::string> command_environment(const std::vector<std::string>& own,
                                             std::string_view temporary);
std::vector<std::string> own_environment();

}  // namespace skein::process
