// What people and scripts call a session: the one place that decides which of them a name means.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/store/backend.h"

namespace skein::store {

// Whether `name` is a whole key. Such a name means the session of that key and no other: not one
// whose key begins with it, not one whose title it is.
bool is_whole_key(std::string_view name);

// The one of `all` that `name` means: by its key, its id, its title, or the beginning of its key or
// id; the most exact reading wins, and one that fits several is no choice.
Result<const SessionRecord*> session_called(std::span<const SessionRecord> all,
                                            std::string_view name);

// Whether `name` means this session of which only that much is known; by title or by the beginning
// of its id, unless it is a whole key.
bool means(std::string_view name, std::string_view key, Id session, std::string_view title);

// How the keys of sessions begin that work for another one, which is their parent; no person would
// choose such a name.
inline constexpr std::string_view child_prefix = "main:sub:";
bool works_for(const SessionHeader& header, std::string_view key, Id parent);

}  // namespace skein::store
