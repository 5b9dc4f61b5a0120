// Lines that are neither a prompt nor a command: `!command` and `!!command` for the system's shell,
// `?` for the keys.
#pragma once

#include <string_view>

#include "repl/session/session.h"

namespace skein::repl {

// Takes a line that begins with `!` or is `?`.
void shell_escape(session::Session& session, std::string_view line);

}  // namespace skein::repl
