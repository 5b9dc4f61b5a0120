// What a supervisor does when it runs skein again: it watches over a job that is to outlive skein
// (reads what the job prints, records how it ended, ends it when it is sent SIGTERM), or it undoes
// the command that was running when skein was killed.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace skein::jobs {

// The first word of the command line for a job: no option or subcommand that a person would give.
// After it: where the job is written down (Job::Place), the number of its program, the ms between
// SIGTERM and SIGKILL. For a command: see undo_word.
inline constexpr std::string_view keeper_word = "--keep-job";

// The exit status. None: these words of a command line are not a supervisor's.
std::optional<int> supervise(std::span<char* const> words);

}  // namespace skein::jobs
