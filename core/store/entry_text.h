// Entries as scripts give and take them: one JSON object each, like a line without its seal.
#pragma once

#include "core/store/backend.h"

namespace skein::store {

// Strict: no unknown or repeated members, no seal; an id may be missing and is then made. A missing
// parentId lets the entry follow, null makes it a root.
Result<NewEntry> new_entry_from_json(std::string_view text);

// The earlier entry that this one is about: what a redaction masks, where a summary ends.
std::optional<Id> referred_entry(const Entry& entry);

JsonText to_json(const Entry& entry);

}  // namespace skein::store
