// Which process holds a lock on a file, as far as the kernel tells us.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skein::doctor {

struct LockHolder {
  pid_t process = 0;             // 0: not known for sure
  std::vector<pid_t> perhaps{};  // then: skein's other processes
  bool stopped = false;          // by ^Z or SIGSTOP
};

// Of an open-file-description lock that begins at `place`, or of the flock of the whole file. The
// kernel names no process for the former; a process that hides its memory, as skein does at the
// prompt, does not show its files to others than root, so all that is left are its likes.
LockHolder holder_of(int file, std::optional<std::uint64_t> place = {});
std::string described(const LockHolder& holder);  // "process 1234", "one of the processes 12, 34"

}  // namespace skein::doctor
