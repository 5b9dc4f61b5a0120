// Sessions thrown away and brought back. All of it happens while the index is locked, and what is
// moved while its own lock is held.
#pragma once

#include <string_view>

#include "core/store/home/home.h"

namespace skein::store::home {

Result<void> move_to_trash(Home& home, Id session);
// The one thrown away last of those `name` means. Its key may have been taken while it was away:
// then it gets another, and the transcript says so.
Result<SessionRecord> restore_from_trash(Home& home, std::string_view name);
// The one thrown away last first.
Result<std::vector<TrashedSession>> list_trash(Home& home);
Result<EmptiedTrash> empty_trash(Home& home);

}  // namespace skein::store::home
