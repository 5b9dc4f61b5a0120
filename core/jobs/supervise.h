// What a supervisor does when it runs skein again: it watches over a job that outlives skein (reads
// its output, records its end, ends it on SIGTERM), or undoes a command after skein was killed.
#pragma once

#include "core/text/std.h"

namespace skein::jobs {

// The first word of the command line for a job; a person would not type it. Then its JobFiles, the
// number of its program, and the ms between SIGTERM and SIGKILL. For a command: see undo_word.
inline constexpr std::string_view keep_job_word = "--keep-job";

// The exit status. None: these words of a command line are not a supervisor's.
std::optional<int> supervise(std::span<char* const> words);

}  // namespace skein::jobs
