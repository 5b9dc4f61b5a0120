// Sessions that work for another one: those of sub-agents. Lists fold them under the session they
// belong to, and what is done to that one is done to them.
#pragma once

#include "core/store/session_store.h"

namespace skein::store {

// The key of a child; a name in the manner of sessions that no person would choose.
std::string child_key(Id session);
// A branch has a parent too, but is an independent session.
bool is_child(const SessionRecord& session);

// Takes the children out of a list. How many each parent had in it.
std::map<Id, std::size_t> fold_children(std::vector<SessionRecord>& sessions);

// Those of one session, the oldest first. Reads the list of all sessions; throws Error.
std::vector<SessionRecord> children_of(SessionStore& store, Id session);

// The same as of one session, and of its children before it.
Result<void> erase_family(SessionStore& store, Id session);
Result<void> archive_family(SessionStore& store, Id session);
Result<void> unarchive_family(SessionStore& store, Id session);

}  // namespace skein::store
