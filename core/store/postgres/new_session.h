// A session that comes into a database whole: its lines as they stand in a transcript, byte for
// byte.
#pragma once

#include <functional>

#include "core/store/log/log_reader.h"
#include "core/store/postgres/connection.h"
#include "core/store/postgres/transcript_rows.h"

namespace skein::store::postgres {

enum class Entered {
  now,
  key_taken,  // by another session of the same user
  id_taken,   // by a session that may be somebody else's
};

// `lines` is a transcript whose header and state are `memory`; all of them or none.
Result<Entered> enter_session(Connection& connection, const log::LogMemory& memory,
                              const std::string& key, bool archived, log::LogReader& lines);

// The lines of a session that is there, written anew as `lines` has them: all of them or none.
// False: somebody wrote to it since it was `row`.
Result<bool> replace_lines(Connection& connection, const SessionRow& row, log::LogReader& lines);

}  // namespace skein::store::postgres
