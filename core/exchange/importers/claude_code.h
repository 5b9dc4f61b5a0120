// Claude Code's sessions: ~/.claude/projects/<folder>/<session>.jsonl, with a folder of the
// session's name beside it for its sub-agents and long outputs.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format claude_code();

}  // namespace skein::exchange::importers
