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

using session::Session;

std::string short_id(Id id);   // as entries are shown
Id head_of(Session& session);  // throws Error if nothing has been said yet
Id entry_named(Session& session, std::string_view name);  // throws Error if there is none
std::vector<std::string> entry_names(Session& session, std::string_view start);

}  // namespace skein::commands
