// How a user names an entry of the open session: the beginning of its id, or `#n` for the n-th of
// their messages on this branch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/base.h"

namespace skein::session {
class Session;
}  // namespace skein::session

namespace skein::commands {

Id entry_named(session::Session& session, std::string_view name);  // throws Error if there is none
std::vector<std::string> entry_names(session::Session& session, std::string_view start);

}  // namespace skein::commands
