// Which sessions have not been used for so long that they are to be archived or thrown away. Only
// says so; nothing here happens by itself.
#pragma once

#include "core/store/session_store.h"

namespace skein::store {

// Those that were not written to for so long, the oldest first; throws Error.
std::vector<SessionRecord> unused_for(SessionStore& store, std::int64_t ms);

// How long a session may be unused; none: for ever. One that has its own time goes to the
// trash after that instead.
struct ExpiryRules {
  std::optional<std::int64_t> archive_after_ms{}, trash_after_ms{};
};

struct Expiring {
  enum class What { archive, trash } what = What::archive;
  SessionRecord record{};
};

// Sessions that are pinned or have a label, and the one that is open, are left alone.
std::vector<Expiring> expiring(std::span<const SessionRecord> sessions, const ExpiryRules& rules,
                               std::int64_t now_ms, std::optional<Id> open = {});

// What came of it.
enum class Expired { done, left_alone };
// Looks once more before anything is moved: the session may have been used or pinned since, or
// be at work in it.
Result<Expired> expire(SessionStore& store, const Expiring& session);

// Brings a session back from the trash. One that had not been used for long notes that it was, or
// it would be as unused as before and go the same way the next day.
Result<SessionRecord> restore_for_use(SessionStore& store, std::string_view name);

}  // namespace skein::store
