// What a line can be besides a prompt or a command: `!command` and `!!command` for the shell, `?`
// for the keys; and `@path` in a prompt, which brings a file along.
#pragma once

#include <string>
#include <string_view>

namespace skein {

class Shell;

// A line that begins with `!` or is `?`.
void aside(Shell& shell, std::string_view line);

// `prompt`, with the files it names by `@path` behind it. A path is as it is from the workspace.
std::string with_files(const std::string& prompt, const std::string& workspace);

}  // namespace skein
