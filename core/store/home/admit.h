// Transcripts that take their place in a home: new ones, and those that come from another store.
#pragma once

#include "core/store/home/home.h"

namespace skein::store::home {

// What StorageBackend::admit promises.
Result<SessionRecord> admit_session(Home& home, Id session, const GiveLines& lines,
                                    TakenKey taken = TakenKey::refused);
// What StorageBackend::replace promises: what was there is in quarantine/ then.
Result<SessionRecord> replace_session(Home& home, Id session, Position end, const GiveLines& lines);

// A transcript that has just been linked into place, with what is known of it, becomes part of the
// index; with no index it becomes part of it when all sessions are looked at. Not looked for by
// name: that asks the index, which might be read again before it is written.
Result<SessionRecord> take_in(Home& home, IndexChange& change, Index* index,
                              const log::LogMemory& memory, const std::string& key);

}  // namespace skein::store::home
