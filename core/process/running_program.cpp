#include "core/process/running_program.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "core/text/base.h"

namespace skein::process {

using Clock = std::chrono::steady_clock;

RunningProgram::RunningProgram(Program program, Supervision supervision) {
  Pipe output = make_pipe();
  const Fd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!output.read || !null) throw Error("cannot make a pipe: too many open files?");
  program.path = program.arguments.front();
  program.input = null.get();
  program.output = program.errors = output.write.get();
  program.no_new_privileges = true;
  output_ = std::move(output.read);
  supervision.output = output_.get();
  supervisor_.emplace(program, supervision);
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);
}

std::optional<ProgramEnd> RunningProgram::watch(const ProgramWatch& watch) {
  using Cause = ProgramEnd::Cause;
  if (error() != 0) return ProgramEnd{Cause::not_started, error()};
  wake_fd_ = watch.wake_fd;
  const bool endless = watch.time == std::chrono::milliseconds::max();
  const Deadline due = endless ? no_deadline : Clock::now() + watch.time;
  std::optional<Cause> cause;
  Deadline kill_at = no_deadline;
  std::optional<Supervisor::End> end;
  while (!(end = supervisor_->end())) {
    const Clock::time_point now = Clock::now();
    const bool late = now >= due, stopped = !cause && watch.stopped();
    if (!cause && !stopped && watch.leaves(late)) return std::nullopt;
    if (!cause && (stopped || late)) {
      cause = late ? Cause::timed_out : Cause::stopped;
      supervisor_->terminate();
      kill_at = now + watch.grace;
    }
    if (now >= kill_at) {
      supervisor_->kill();
      kill_at = no_deadline;
    }
    wait_a_little(cause ? kill_at : due, watch, cause ? std::function<bool()>{} : watch.stopped);
  }
  for (const auto last = Clock::now() + afterwards; output_ && Clock::now() < last;)
    wait_a_little(last, watch);
  if (cause) return ProgramEnd{*cause, 0, end->survivors};
  if (WIFSIGNALED(end->status))
    return ProgramEnd{Cause::signalled, WTERMSIG(end->status), end->survivors};
  return ProgramEnd{Cause::exited, WEXITSTATUS(end->status), end->survivors};
}

void RunningProgram::wait_a_little(Deadline until, const ProgramWatch& watch,
                                   const std::function<bool()>& stop) {
  // The end is not asked for here: of an end that came just now nothing would wake us.
  std::array<pollfd, 3> fds{
      {{output_.get(), POLLIN, 0}, {wake_fd_, POLLIN, 0}, {supervisor_->line(), POLLIN, 0}}};
  if (wake_fd_ < 0) until = std::min(until, Clock::now() + glance);
  if (wait(fds, until, stop) != Wake::ready) return;
  if (fds[0].revents != 0) take_output(watch);
  // Awake but not stopped: if asking has not emptied that descriptor, nothing will.
  if (fds[1].revents != 0 && !watch.stopped() && is_readable(wake_fd_)) wake_fd_ = -1;
}

void RunningProgram::take_output(const ProgramWatch& watch) {
  std::array<char, 64 * 1024> buffer;
  if (const std::string_view piece = read_ready(output_, buffer); !piece.empty())
    watch.output(piece);
}

ProgramEnd run_program(const Program& program, const ProgramWatch& watch) {
  return RunningProgram(program).watch(watch).value();  // it does not leave
}

}  // namespace skein::process
