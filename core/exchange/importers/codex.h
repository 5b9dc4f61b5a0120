// Codex's sessions: ~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format codex();

}  // namespace skein::exchange::importers
