// OpenClaw's sessions: pi's lines, in a database, or in files beside an index in older versions.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

inline constexpr std::string_view openclaw_name = "openclaw";

Format openclaw();

}  // namespace skein::exchange::importers
