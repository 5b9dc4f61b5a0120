// What a line can be besides a prompt or a command: `!command` and `!!command` for the shell, `?`
// for the keys.
#pragma once

#include <string_view>

namespace skein::repl {

class Shell;

// A line that begins with `!` or is `?`.
void aside(Shell& shell, std::string_view line);

}  // namespace skein::repl
