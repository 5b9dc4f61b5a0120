// What Tab offers at the prompt, and what is hinted at behind the line.
#pragma once

#include <string>
#include <string_view>

#include "repl/input/line_editor.h"

namespace skein {

class Shell;

Completion complete(Shell& shell, std::string_view before_cursor);
std::string hint_for(std::string_view line);

}  // namespace skein
