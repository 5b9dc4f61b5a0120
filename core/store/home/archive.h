// Sessions put away: archived, or moved to the trash, and brought back.
#pragma once

#include "core/store/home/home.h"

namespace skein::store::home {

// The trash changes while the index is locked, and a file is moved while its own lock is held.
Result<void> move_to_trash(Home& home, Id session);
// The one thrown away last of those `name` means. Its key may have been taken while it was away:
// then it gets another, and the transcript says so.
Result<SessionRecord> restore_from_trash(Home& home, std::string_view name);
// The one thrown away last first.
Result<std::vector<TrashedSession>> list_trash(Home& home);
Result<EmptiedTrash> empty_trash(Home& home);

// A large session takes a minute to pack, and no session can be made while the index is locked. So
// the file is packed first, and the locks are held for the change alone, if the file is still the
// same by then.
Result<void> archive_session(Home& home, Id session);
Result<void> unarchive_session(Home& home, Id session);
// The same for one who holds the index already.
Result<void> unarchive_locked(Home& home, const IndexChange& change, Id session);
// A transcript and its archive, both there, are what an archiving or unarchiving that was cut short
// left behind: the transcript counts. The archive is removed if all of it is in the transcript, and
// is set aside if it does not.
Result<void> resolve_pair(Home& home, const IndexChange& change, Id session);

}  // namespace skein::store::home
