// Cursor's agent: ~/.cursor/projects/<project>/agent-transcripts/<id>/<id>.jsonl. Its lines have no
// ids, no times, and no results.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format cursor();

}  // namespace skein::exchange::importers
