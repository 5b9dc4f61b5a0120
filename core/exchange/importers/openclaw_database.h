// One agent of OpenClaw: the database of all its conversations.
#pragma once

#include "core/exchange/importers/receiver.h"
#include "core/exchange/importers/source_file.h"

namespace skein::exchange::importers {

// A conversation has a key and may have several transcripts ("windows"), one after the other: they
// become one session. Throws Error if it cannot be read at all.
void read_openclaw_database(const SourceFile& file, Receiver& receiver);

}  // namespace skein::exchange::importers
