#include "core/tools/sandbox/running_program.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/small_file.h"
#include "core/text/wait.h"
#include "core/tools/sandbox/socket_filter.h"

namespace skein::tools::sandbox {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Without a descriptor that tells of a stop we look this often.
constexpr milliseconds glance{20};
// How long output may still come after the program itself has ended.
constexpr milliseconds afterwards{100};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Everything the child needs, made before the fork: between fork and exec only async-signal-safe
// calls are allowed, for another thread may hold the allocator's lock.
struct ChildPlan {
  char* const* argv;
  char* const* envp;
  int output, null, folder, landlock;
  const int* keep;
  std::size_t keep_count;
  rlimit processes, memory;
  Sockets sockets;
};

void close_others(const ChildPlan& plan) {
  constexpr unsigned cloexec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
  if (syscall(SYS_close_range, 3u, ~0u, cloexec) != 0)
    for (int fd = 3; fd < 4096; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
  for (std::size_t i = 0; i < plan.keep_count; ++i) fcntl(plan.keep[i], F_SETFD, 0);
}

// Landlock restricts files. What else root may do, CAP_PERFMON (the environment of every process)
// and CAP_NET_RAW among it, bubblewrap takes away, and so do we. Under no_new_privs no program
// regains it.
bool drop_capabilities() {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (unsigned long each = 0; prctl(PR_CAPBSET_DROP, each, 0, 0, 0) == 0; ++each) continue;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  return syscall(SYS_capset, &header, none) == 0;
}

int become(const void* planned, pid_t keeper) {
  const auto& plan = *static_cast<const ChildPlan*>(planned);
  // A session of its own: no controlling terminal whose keys could be read or faked.
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != keeper) _exit(127);  // it died before it could be asked for
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);

  const bool ready =
      setrlimit(RLIMIT_NPROC, &plan.processes) == 0 && setrlimit(RLIMIT_DATA, &plan.memory) == 0 &&
      dup2(plan.null, 0) == 0 && dup2(plan.output, 1) == 1 && dup2(plan.output, 2) == 2 &&
      fchdir(plan.folder) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
      (plan.landlock < 0 ||
       (drop_capabilities() && syscall(SYS_landlock_restrict_self, plan.landlock, 0) == 0)) &&
      restrict_sockets(plan.sockets);
  if (ready) {
    close_others(plan);
    execve(plan.argv[0], plan.argv, plan.envp);
  }
  return errno;
}

// The kernel holds the number of all the user's processes against the limit, so those there are
// count in. The machine's, read in one go, are at least as many.
std::uint64_t running_processes() {
  double load = 0;
  char slash = 0;
  std::uint64_t running = 0, all = 0;  // "0.20 0.18 0.12 1/80 11206"
  std::istringstream(file_beginning("/proc/loadavg")) >> load >> load >> load >> running >> slash >>
      all;
  return all;
}

rlimit lowered(__rlimit_resource_t resource, std::uint64_t most) {
  rlimit limit{};
  getrlimit(resource, &limit);
  if (most == 0) return limit;
  return {std::min<rlim_t>(limit.rlim_cur, most), std::min<rlim_t>(limit.rlim_max, most)};
}

}  // namespace

RunningProgram::RunningProgram(const Program& program) {
  Pipe output = make_pipe();
  if (!output.read) throw Error("cannot make a pipe: too many open files?");
  const Fd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Fd here(program.folder < 0 ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1);
  const std::vector<char*> argv = pointers(program.arguments);
  const std::vector<char*> envp = pointers(program.environment);
  const std::uint64_t further = program.limits.processes;
  const std::uint64_t processes = further == 0 ? 0 : running_processes() + further;
  const ChildPlan plan{argv.data(),
                       envp.data(),
                       output.write.get(),
                       null.get(),
                       here ? here.get() : program.folder,
                       program.landlock,
                       program.keep.data(),
                       program.keep.size(),
                       lowered(RLIMIT_NPROC, processes),
                       lowered(RLIMIT_DATA, program.limits.memory),
                       program.sockets};
  output_ = std::move(output.read);
  keeper_.emplace(Kept{.become = become,
                       .plan = &plan,
                       .status = program.status,
                       .output = output_.get(),
                       .holds = program.holds,
                       .claim = program.claim,
                       .record = program.record});
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);
}

std::optional<ProgramEnd> RunningProgram::watch(const Watch& watch) {
  using Cause = ProgramEnd::Cause;
  if (error() != 0) return ProgramEnd{Cause::not_started, error()};
  wake_fd_ = watch.wake_fd;
  const bool endless = watch.time == milliseconds::max();
  const Deadline due = endless ? no_deadline : Clock::now() + watch.time;
  std::optional<Cause> cause;
  Deadline kill_at = no_deadline;
  std::optional<Keeper::End> end;
  while (!(end = keeper_->end())) {
    const Clock::time_point now = Clock::now();
    const bool late = now >= due, stopped = !cause && watch.stopped();
    if (!cause && !stopped && watch.leaves(late)) return std::nullopt;
    if (!cause && (stopped || late)) {
      cause = late ? Cause::timed_out : Cause::stopped;
      keeper_->terminate();
      kill_at = now + watch.grace;
    }
    if (now >= kill_at) {
      keeper_->kill();
      kill_at = no_deadline;
    }
    if (cause)
      wait_a_little(kill_at, watch);
    else
      wait_a_little(due, watch, watch.stopped);
  }
  for (const auto last = Clock::now() + afterwards; output_ && Clock::now() < last;)
    wait_a_little(last, watch);
  if (cause) return ProgramEnd{*cause, 0, end->survivors};
  if (WIFSIGNALED(end->status))
    return ProgramEnd{Cause::signalled, WTERMSIG(end->status), end->survivors};
  return ProgramEnd{Cause::exited, WEXITSTATUS(end->status), end->survivors};
}

void RunningProgram::wait_a_little(Deadline until, const Watch& watch,
                                   const std::function<bool()>& stop) {
  // The end is not asked for here: of an end that came just now nothing would wake us.
  std::array<pollfd, 3> fds{
      {{output_.get(), POLLIN, 0}, {wake_fd_, POLLIN, 0}, {keeper_->line(), POLLIN, 0}}};
  if (wake_fd_ < 0) until = std::min(until, Clock::now() + glance);
  if (wait(fds, until, stop) != Wake::ready) return;
  if (fds[0].revents != 0) take_output(watch);
  // Awake but not stopped: if asking has not emptied that descriptor, nothing will.
  if (fds[1].revents != 0 && !watch.stopped() && is_readable(wake_fd_)) wake_fd_ = -1;
}

void RunningProgram::take_output(const Watch& watch) {
  std::array<char, 64 * 1024> buffer;
  const ssize_t got = read(output_.get(), buffer.data(), buffer.size());
  if (got > 0) watch.output({buffer.data(), static_cast<std::size_t>(got)});
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) output_.reset();
}

ProgramEnd run_program(const Program& program, const Watch& watch) {
  RunningProgram running(program);
  Watch to_its_end = watch;
  to_its_end.leaves = [](bool) { return false; };
  return *running.watch(to_its_end);
}

}  // namespace skein::tools::sandbox
