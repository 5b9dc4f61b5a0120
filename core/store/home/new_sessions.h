// Sessions that come into a home: branches of others, and those from another store.
#pragma once

#include "core/store/home/home.h"
#include "core/store/log/new_transcript.h"

namespace skein::store::home {

// Copies the path to `leaf` into a new transcript, line by line: only the seals differ. Nothing is
// parsed, so that a long session is branched as fast as it is copied. Behind it come those of
// `extras` that are about nothing else than what was copied. `target` remembers if it could not
// write.
Result<void> copy_fork(log::LogReader& source, Id leaf, std::span<const ForkExtra> extras,
                       log::NewTranscript& target);

// What StorageBackend::import_lines promises.
Result<SessionRecord> import_lines(Home& home, Id session, const GiveLines& lines,
                                   TakenKey taken = TakenKey::refused);
// What StorageBackend::replace promises: what was there is in quarantine/ then.
Result<SessionRecord> replace_session(Home& home, Id session, Position end, const GiveLines& lines);

// A transcript that has just been linked into place, with what is known of it, becomes part of the
// index; with no index it becomes part of it when all sessions are looked at. Not looked for by
// name: that asks the index, which might be read again before it is written.
Result<SessionRecord> take_in(Home& home, IndexChange& change, Index* index,
                              const log::LogMemory& memory, const std::string& key);

}  // namespace skein::store::home
