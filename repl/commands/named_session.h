// How a user names a session at the prompt: as everywhere, or by the end of its key, which is what
// lists show of one that was made up.
#pragma once

#include <string_view>

#include "core/store/session_store.h"
#include "repl/commands/handlers.h"

namespace skein::commands {

store::Result<store::SessionRecord> named_session(Session& session, std::string_view name);

}  // namespace skein::commands
