// Sessions of Kimi Code: a log of what happened to the context, one file for each agent.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format kimi();

}  // namespace skein::exchange::importers
