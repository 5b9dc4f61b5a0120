// Sessions of Qwen Code: lines in Claude Code's envelope with Google's parts inside.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format qwen();

}  // namespace skein::exchange::importers
