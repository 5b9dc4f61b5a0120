// What Tab offers at the prompt, and the hint shown after the line.
#pragma once

#include <string>
#include <string_view>

#include "repl/commands/handlers.h"
#include "repl/prompt/line_editor.h"

namespace skein::commands {

prompt::Completion complete(Session& session, std::string_view before_cursor);
std::string hint_for(Session& session, std::string_view line);

}  // namespace skein::commands
