// Sessions of GitHub Copilot CLI: a log of events, in a folder per session or beside each other.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format copilot();

}  // namespace skein::exchange::importers
