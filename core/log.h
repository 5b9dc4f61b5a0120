// The maintainer's log: $XDG_STATE_HOME/skein/<pid>.log. Never holds prompts, answers or keys; what
// a user should know is an Event instead.
#pragma once

#include <string_view>

namespace skein {

// Without it, log_debug and log_warning do nothing. `verbose` writes debug lines too. A log that
// cannot be opened is no reason to stop.
void start_log(bool verbose);
void log_debug(std::string_view line);
void log_warning(std::string_view line);

}  // namespace skein
