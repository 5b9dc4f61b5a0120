// What becomes of the keeper of a job that is to outlive skein: a small program that goes on
// reading what the job prints, writes down how it ended, and ends it when it is sent SIGTERM.
#pragma once

#include <span>
#include <string_view>

namespace skein::jobs {

// The first word of its command line: no option or subcommand that a person would give.
inline constexpr std::string_view keeper_word = "--keep-job";

// The words behind it: where the job is written down (Job::Place), the number of its program, the
// ms between SIGTERM and SIGKILL. Returns the exit status.
int keep_job(std::span<char* const> words);

}  // namespace skein::jobs
