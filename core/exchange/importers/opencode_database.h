// The database in which opencode keeps all its sessions.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

// Throws Error if it cannot be read at all.
void read_opencode_database(const SourceFile& file, const ReadOptions& options, Receiver& receiver);

}  // namespace skein::exchange::importers
