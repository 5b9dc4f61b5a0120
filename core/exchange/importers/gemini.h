// Sessions of Gemini CLI: since 2026 a log of mutations, before that one object.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format gemini();

}  // namespace skein::exchange::importers
