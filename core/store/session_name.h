// What people and scripts call a session: the one place that decides which of them a name means.
#pragma once

#include "core/store/backend.h"

namespace skein::store {

// Whether `name` is a whole key. Such a name means the session of that key and no other: not one
// whose key begins with it, not one whose title it is.
bool is_whole_key(std::string_view name);

// The one of `all` that `name` means: by its key, its id, its title, or the beginning of its key or
// id; the most exact reading wins, and one that fits several is no choice.
Result<const SessionRecord*> session_called(std::span<const SessionRecord> all,
                                            std::string_view name);

// A session that is open, up to date. Throws Error if it was deleted: what to do is said with its
// key.
SessionRecord still_there(Result<SessionRecord> opened, const std::string& key);

// A key that was made up from the time, as fresh_key() does: it means nothing to people.
bool is_made_up(std::string_view key);
// What people see of a session: its title; else its key, or a short form of one that was made up.
std::string shown_name(const SessionRecord& session);
// The part of a key that differs from others: of one that was made up, the end.
std::string_view key_tail(std::string_view key);

// How many of some sessions have each title.
using Titles = std::map<std::string, std::size_t, std::less<>>;
Titles titles_of(std::span<const SessionRecord> all);
// What to type for a session, given the titles of all: its title instead of a key that was made up,
// if no other session has it and it can be typed; else the tail of its key.
std::string typed_name(const SessionRecord& session, const Titles& titles);

// Whether `name` means this session of which only that much is known; by title, by the tail of its
// key or by the beginning of its id, unless it is a whole key.
bool means(std::string_view name, std::string_view key, Id session, std::string_view title);

// How the keys of sessions begin that work for another one, which is their parent; no person would
// choose such a name.
inline constexpr std::string_view child_prefix = "main:sub:";
bool works_for(const SessionHeader& header, std::string_view key, Id parent);

}  // namespace skein::store
