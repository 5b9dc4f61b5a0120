// Archiving and unarchiving. A large session takes a minute to pack, and nobody can make a session
// while the index is locked: so it is packed first, from what the file is at that moment, and the
// locks are held for the change alone, if the file is still the same by then.
#pragma once

#include "core/store/home/home.h"

namespace skein::store::home {

Result<void> archive_session(Home& home, Id session);
Result<void> unarchive_session(Home& home, Id session);
// The same for one who holds the index already.
Result<void> unarchive_locked(Home& home, const IndexChange& change, Id session);
// A transcript and its archive, both there, are what an archiving or unarchiving that was cut short
// left behind: the transcript counts. The archive goes if all of it stands in the transcript, and
// is set aside if it does not.
Result<void> settle_pair(Home& home, const IndexChange& change, Id session);

}  // namespace skein::store::home
