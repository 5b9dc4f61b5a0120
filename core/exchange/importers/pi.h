// pi's sessions: a tree of lines in one file, of any version so far.
#pragma once

#include <string_view>

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format pi();

// For OpenClaw, which keeps files in the same form.
bool has_pi_lines(const SourceFile& file);
// What a file says of its session: the first line, and the last name it was given.
ForeignSession pi_session_in(const SourceFile& file);
void read_pi_lines(const SourceFile& file, const ReadOptions& options, std::string_view format,
                   const ForeignSession& session, Receiver& receiver);

}  // namespace skein::exchange::importers
