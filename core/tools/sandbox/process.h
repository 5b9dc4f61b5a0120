// Runs a program: its own session and process group, nothing on standard input, one pipe for what
// it prints, and an end that comes when it is due.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skein::tools::sandbox {

// Against what gets out of hand, not against malice. 0: no limit.
struct ProgramLimits {
  // Processes and threads beyond those the machine runs when it starts. The kernel counts those of
  // the user, and does not hold root to it.
  std::uint64_t processes = 0;
  std::uint64_t memory = 0;  // bytes of data each process may have, not all of them together
};

// Which a program can make.
enum class Sockets {
  all,
  in_namespace,  // those that a network namespace contains, and AF_UNIX
  local,         // AF_UNIX alone: loopback is closed too
};

struct Program {
  std::vector<std::string> arguments;    // the first is the absolute path
  std::vector<std::string> environment;  // NAME=value; nothing is inherited
  int folder = -1;                       // an open folder to run in
  int landlock = -1;        // a Landlock ruleset to run under, then without any capability
  std::vector<int> keep{};  // further descriptors that stay open in it
  int status = -1;          // what bubblewrap says of itself arrives here; see Kept
  int holds = -1, record = -1, claim = -1;  // see Kept
  ProgramLimits limits{};
  Sockets sockets = Sockets::all;
};

struct Watch {
  std::function<void(std::string_view)> output = [](std::string_view) {};  // never blocks for long
  std::function<bool()> stopped = [] { return false; };
  int wake_fd = -1;                   // readable when `stopped` may have changed
  std::chrono::milliseconds time{};   // max(): as long as it takes
  std::chrono::milliseconds grace{};  // between SIGTERM and SIGKILL
  // Asked as `stopped` is, and when its time is up: whether it is to run on, watched by others.
  std::function<bool(bool due)> leaves = [](bool) { return false; };
};

struct ProgramEnd {
  enum class Cause { exited, signalled, timed_out, stopped, not_started } cause = Cause::exited;
  int code = 0;               // exit status, signal number or errno
  std::size_t survivors = 0;  // processes it started that could not be ended
  bool operator==(const ProgramEnd&) const = default;
};

// Returns once the program has ended and what it had printed by then is read. What it left behind
// ends with it, in whatever session it is: a daemon that keeps the pipe open delays nothing. If we
// are killed meanwhile the program ends with us.
ProgramEnd run_program(const Program& program, const Watch& watch);

}  // namespace skein::tools::sandbox
