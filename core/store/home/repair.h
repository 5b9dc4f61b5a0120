// Rebuilding what an append cannot repair: a transcript whose first line is damaged.
#pragma once

#include <string>

#include "core/store/files/files.h"
#include "core/store/log/log.h"

namespace skein::store::home {

// Writes every entry that can be read, under its own id, behind a new header into a new file, which
// then takes the old one's place; the old one goes to quarantine/, whole. The caller holds the lock
// of the index and of the transcript. Returns where the old file is now.
Result<std::string> rebuild_transcript(files::Files& files, log::Log& log,
                                       const SessionHeader& header);

// Temporary files of processes that died: removes those older than an hour and names them. The
// caller holds the lock of the index.
Result<std::vector<std::string>> remove_leftovers(files::Files& files);

}  // namespace skein::store::home
