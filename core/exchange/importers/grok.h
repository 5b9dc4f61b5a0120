// Sessions of Grok's command line: lines without ids and times, and a summary beside them.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format grok();

}  // namespace skein::exchange::importers
