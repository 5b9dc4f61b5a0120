// Runs commands of the user side by side, such as hooks: each in its own session, with a text on
// standard input. Their output is collected up to a limit, and their end comes when it is due.
#pragma once

#include "core/model/event.h"
#include "core/process/running_program.h"

namespace skein::process {

struct UserCommand {
  std::vector<std::string> arguments;    // the first is a path, or a name to be found in $PATH
  std::vector<std::string> environment;  // NAME=value; nothing is inherited
  std::string folder;                    // to run in
  std::string input;                     // on standard input, then its end
  std::chrono::milliseconds time{};
};

struct CommandEnd {
  using Cause = ProgramEnd::Cause;
  Cause cause = Cause::exited;
  int code = 0;  // exit status, signal number or errno
  std::string output{}, errors{};
  bool cut = false;  // there was more of the output
  std::int64_t ms = 0;
};

inline constexpr std::size_t most_output = 1u << 20;
inline constexpr std::size_t most_errors = 64u << 10;

// Starts all at once; returns when the last has ended, in the order they were given. What a program
// leaves in its group ends with it, so a child that keeps the pipes open delays nothing. If the
// user stops the turn, or `ends` says so, they get SIGTERM, and SIGKILL a second later.
std::vector<CommandEnd> run_all(std::span<const UserCommand> commands, const model::Ports& ports,
                                const std::function<bool()>& ends = {});

}  // namespace skein::process
