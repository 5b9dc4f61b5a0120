// What Tab offers at the prompt, and the hint shown behind the line.
#pragma once

#include <string>
#include <string_view>

#include "repl/prompt/line_editor.h"

namespace skein::session {
class Session;
}  // namespace skein::session

namespace skein::commands {

using session::Session;

prompt::Completion complete(Session& session, std::string_view before_cursor);
std::string hint_for(std::string_view line);

}  // namespace skein::commands
