// Rebuilding what an append cannot repair: a transcript whose first line is damaged.
#pragma once

#include <string>

#include "core/store/home/home.h"

namespace skein::store::home::maintenance {

// Writes every entry that can be read, under its own id, behind a new header into a new file, which
// then takes the old one's place; the old one goes to quarantine/, whole. Where it is now, or
// nothing if there was nothing to repair.
Result<std::string> repair(Home& home, Id session);

}  // namespace skein::store::home::maintenance
