// The tables a home in a database has, who may do what with them, and how they are made.
#pragma once

#include "core/store/result.h"

namespace skein::store::postgres {

// The names of what keeps values unique, for those who run into it.
inline constexpr const char* key_constraint = "session_key";
inline constexpr const char* id_constraint = "session_id";
inline constexpr const char* entry_constraint = "line_entry";

enum class Prepared { now, before, upgraded };
// Makes the tables, or brings those of an older skein up to date; all or nothing. Needs a user who
// may make a schema in the database, or whose tables they are.
Result<Prepared> prepare_database(const std::string& address);

}  // namespace skein::store::postgres
