// Starts child processes. Every program that skein runs is described by a Program and becomes one
// here: as a child of skein (start_child) or of a supervisor (Supervisor).
#pragma once

#include "core/text/std.h"

#include <sys/resource.h>
#include <sys/types.h>

namespace skein::process {

// Against what gets out of hand, not against malice. 0: no limit.
struct ProgramLimits {
  // Processes and threads beyond those that run at the start, by user. Root is not held to it.
  std::uint64_t processes = 0;
  std::uint64_t memory = 0;  // bytes of data each process may have, not all of them together
};

// Which a program can make.
enum class Sockets {
  all,
  in_namespace,  // those that a network namespace contains, and AF_UNIX
  local,         // AF_UNIX alone: loopback is closed too
};
// Whether the kernel can filter the system calls that make sockets. Landlock restricts TCP at best,
// and a network namespace does not contain every kind: AF_VSOCK reaches a virtual machine's host.
bool socket_filter_works();

struct Program {
  // The first is the absolute path, or a name to be found in $PATH where `path` is not needed.
  std::vector<std::string> arguments{};
  std::vector<std::string> environment{};  // NAME=value; nothing is inherited
  int folder = -1;                         // an open folder to run in; -1: ours
  std::string path{};                      // of the file to run; empty: the first argument says it
  int input = -1, output = -1, errors = -1;  // its standard descriptors; -1: ours
  std::vector<int> keep{};                   // other descriptors that stay open in it

  enum class Group {
    session,  // its own session: no terminal whose keys it could read, and it ends with its parent
    own,
    ours,
  } group = Group::session;

  int landlock = -1;  // a Landlock ruleset to run under, then without any capability
  ProgramLimits limits{};
  Sockets sockets = Sockets::all;
  bool no_new_privileges = false;  // needed for the three above
};

// Prepared before fork: after it only async-signal-safe calls are allowed, no allocation.
class ExecPlan {
 public:
  explicit ExecPlan(const Program& program);  // which must outlive it

  // Becomes the program, in a child of `parent`. If that fails it writes the errno and exits.
  [[noreturn]] void become(pid_t parent, int failure) const;

 private:
  bool prepare(pid_t parent) const;
  void close_others() const;

  const Program& program_;
  std::vector<char*> arguments_, environment_;
  rlimit processes_, memory_;
};

// For a process between fork and exec: signals as a new program expects them.
void reset_signals();

struct StartedChild {
  pid_t pid = -1;
  int error = 0;  // why it was not started; 0: it was
};
// Returns once the program runs or could not be run.
StartedChild start_child(const Program& program);

}  // namespace skein::process
