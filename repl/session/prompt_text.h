// What stands in front of the line being typed: the permission mode, unless it is the usual one,
// and a mark.
#pragma once

#include <string>

#include "core/permission/policy.h"
#include "repl/layout/style.h"

namespace skein::session {

std::string prompt_text(permission::Mode mode, const layout::TerminalStyle& look);

}  // namespace skein::session
