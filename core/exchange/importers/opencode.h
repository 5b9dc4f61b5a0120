// opencode's sessions: in a database, or in older versions in a tree of small files.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format opencode();

}  // namespace skein::exchange::importers
