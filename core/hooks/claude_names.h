// What Claude Code calls our tools and their arguments, there and back: scripts written for it are
// told what they know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/base.h"

namespace skein::hooks {

std::string claude_name(std::string_view tool);  // one it has no name for keeps its own
// All the names a matcher may mean it by; our own first.
std::vector<std::string> names_of(std::string_view tool);

// A call's input with its members renamed, and paths from the root of the file system.
JsonText input_for_claude(std::string_view tool, const JsonText& input,
                          const std::string& workspace);
JsonText input_from_claude(std::string_view tool, const JsonText& input);

// What a call came to, in the form of the tool that Claude Code has for it.
JsonText response_for_claude(std::string_view tool, const JsonText& input, const std::string& text,
                             const std::string& workspace);

}  // namespace skein::hooks
