// Runs a program below a supervisor: no standard input, one pipe for its output, and a time limit.
#pragma once

#include "core/text/std.h"

#include "core/process/child.h"
#include "core/process/supervisor.h"
#include "core/text/io.h"
#include "core/text/wait.h"

namespace skein::process {

// How often skein looks for what no descriptor reports: a stop, the end of a process.
inline constexpr std::chrono::milliseconds glance{20};
// How long output may still come after the program itself has ended.
inline constexpr std::chrono::milliseconds afterwards{100};

struct ProgramWatch {
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

// Returns once the program has ended and its output is read. What it left behind ends with it, also
// a daemon that keeps the pipe open. If skein is killed it ends. `watch` must not want it to leave.
ProgramEnd run_program(const Program& program, const ProgramWatch& watch);

// Watched by the call that started it, then by the job that it becomes. Ends with this object.
class RunningProgram {
 public:
  // Starts it. Throws Error if there are no descriptors left; what else fails watch() tells.
  explicit RunningProgram(Program program, Supervision supervision = {});

  // Until it has ended and its output is read. nullopt: it runs on, as ProgramWatch::leaves wanted.
  std::optional<ProgramEnd> watch(const ProgramWatch& watch);

  int error() const { return supervisor_->error(); }
  void settled() const { supervisor_->settled(); }  // see Supervision::claim
  Supervisor& supervisor() { return *supervisor_; }

 private:
  void wait_a_little(Deadline until, const ProgramWatch& watch,
                     const std::function<bool()>& stop = {});
  void take_output(const ProgramWatch& watch);

  Fd output_{};
  std::optional<Supervisor> supervisor_{};
  int wake_fd_ = -1;
};

}  // namespace skein::process
