// Entries that say what another entry says: to be named when that one is masked.
#pragma once

#include <vector>

#include "core/store/session_store.h"

namespace skein::store {

// On the path to the head, those that are not masked and hold a text, a line or a key of `target`.
// Summaries are left out: they may say it in other words, and are named anyway.
Result<std::vector<Id>> entries_repeating(SessionStore& store, Id session, const Entry& target);

}  // namespace skein::store
