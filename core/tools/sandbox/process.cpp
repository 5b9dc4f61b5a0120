#include "core/tools/sandbox/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>

#include "core/text/base.h"
#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/wait.h"
#include "core/tools/sandbox/socket_filter.h"
#include "core/tools/sandbox/stragglers.h"
#include "core/tools/sandbox/warden.h"

namespace skein::tools::sandbox {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Without a descriptor that tells of the child's end or of a stop we look this often.
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
  int output, report, null, folder, landlock;
  const int* keep;
  std::size_t keep_count;
  rlimit processes, memory;
  bool sockets;
  pid_t parent;
};

void close_others(const ChildPlan& plan) {
  constexpr unsigned cloexec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
  if (syscall(SYS_close_range, 3u, ~0u, cloexec) != 0)
    for (int fd = 3; fd < 4096; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
  for (std::size_t i = 0; i < plan.keep_count; ++i) fcntl(plan.keep[i], F_SETFD, 0);
}

[[noreturn]] void become(const ChildPlan& plan) {
  // A session of its own: no controlling terminal whose keys could be read or faked.
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != plan.parent) _exit(127);  // it died before it could be asked for
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);

  const bool ready =
      setrlimit(RLIMIT_NPROC, &plan.processes) == 0 && setrlimit(RLIMIT_DATA, &plan.memory) == 0 &&
      dup2(plan.null, 0) == 0 && dup2(plan.output, 1) == 1 && dup2(plan.output, 2) == 2 &&
      fchdir(plan.folder) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
      (plan.landlock < 0 || syscall(SYS_landlock_restrict_self, plan.landlock, 0) == 0) &&
      (plan.sockets || refuse_sockets());
  if (ready) {
    close_others(plan);
    execve(plan.argv[0], plan.argv, plan.envp);
  }
  const int error = errno;
  if (write(plan.report, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

// The kernel holds the number of all the user's processes against the limit, so those there are
// count in. The machine's, read in one go, are at least as many.
std::uint64_t running_processes() {
  double load = 0;
  char slash = 0;
  std::uint64_t running = 0, all = 0;  // "0.20 0.18 0.12 1/80 11206"
  std::ifstream("/proc/loadavg") >> load >> load >> load >> running >> slash >> all;
  return all;
}

rlimit lowered(__rlimit_resource_t resource, std::uint64_t most) {
  rlimit limit{};
  getrlimit(resource, &limit);
  if (most == 0) return limit;
  return {std::min<rlim_t>(limit.rlim_cur, most), std::min<rlim_t>(limit.rlim_max, most)};
}

class Running {
 public:
  Running(pid_t pid, Fd output, const Watch& watch)
      : pid_(pid),
        output_(std::move(output)),
        child_(process_descriptor(pid)),
        watch_(watch),
        wake_fd_(watch.wake_fd) {
    fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  }

  ProgramEnd finish() {
    const Deadline due = Clock::now() + watch_.time;
    std::optional<ProgramEnd::Cause> cause;
    Deadline kill_at = no_deadline;
    while (!ended()) {
      const Clock::time_point now = Clock::now();
      if (!cause && (watch_.stopped() || now >= due)) {
        cause = now >= due ? ProgramEnd::Cause::timed_out : ProgramEnd::Cause::stopped;
        const int group = watch_.gentle_group ? watch_.gentle_group() : 0;
        // A group that is not there yet: the command has not begun, so nothing is left untidy.
        if (group <= 1 || kill(-group, SIGTERM) != 0) kill(-pid_, SIGTERM);
        kill_at = now + watch_.grace;
      }
      if (now >= kill_at) {
        kill(-pid_, SIGKILL);
        kill_at = no_deadline;
      }
      if (cause)
        wait_a_little(kill_at);
      else
        wait_a_little(due, watch_.stopped);
    }
    // The leader is not reaped yet, so its group's number cannot belong to another.
    kill(-pid_, SIGKILL);
    const int status = wait_for_child(pid_);
    reaped_ = true;
    if (cause) return {*cause, 0};
    if (WIFSIGNALED(status)) return {ProgramEnd::Cause::signalled, WTERMSIG(status)};
    return {ProgramEnd::Cause::exited, WEXITSTATUS(status)};
  }

  void take_the_rest() {
    for (const auto end = Clock::now() + afterwards; output_ && Clock::now() < end;)
      wait_a_little(end);
  }

 private:
  bool ended() const {
    if (reaped_) return true;
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }

  void wait_a_little(Deadline until, const std::function<bool()>& stop = {}) {
    std::array<pollfd, 3> fds{{{output_.get(), POLLIN, 0}, {wake_fd_, POLLIN, 0}, {-1, POLLIN, 0}}};
    if (!ended()) fds[2].fd = child_.get();
    if (!child_ || wake_fd_ < 0) until = std::min(until, Clock::now() + glance);
    if (wait(fds, until, stop) != Wake::ready) return;
    if (fds[0].revents != 0) take_output();
    // Awake but not stopped: if asking has not emptied that descriptor, nothing will.
    if (fds[1].revents != 0 && !watch_.stopped() && is_readable(wake_fd_)) wake_fd_ = -1;
  }

  void take_output() {
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = read(output_.get(), buffer.data(), buffer.size());
    if (got > 0) watch_.output({buffer.data(), static_cast<std::size_t>(got)});
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) output_.reset();
  }

  pid_t pid_;
  Fd output_, child_;
  const Watch& watch_;
  int wake_fd_;
  bool reaped_ = false;
};

}  // namespace

std::unique_lock<std::recursive_mutex> no_program_running() {
  static std::recursive_mutex running;  // one may run while another tells of its output
  return std::unique_lock(running);
}

ProgramEnd run_program(const Program& program, const Watch& watch) {
  const auto alone = no_program_running();
  Pipe output = make_pipe(), report = make_pipe();
  if (!output.read || !report.read) throw Error("cannot make a pipe: too many open files?");
  const Fd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Fd here(program.folder < 0 ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1);
  const std::vector<char*> argv = pointers(program.arguments);
  const std::vector<char*> envp = pointers(program.environment);
  const std::uint64_t further = program.limits.processes;
  const std::uint64_t processes = further == 0 ? 0 : running_processes() + further;
  const ChildPlan plan{argv.data(),
                       envp.data(),
                       output.write.get(),
                       report.write.get(),
                       null.get(),
                       here ? here.get() : program.folder,
                       program.landlock,
                       program.keep.data(),
                       program.keep.size(),
                       lowered(RLIMIT_NPROC, processes),
                       lowered(RLIMIT_DATA, program.limits.memory),
                       program.sockets,
                       getpid()};
  Warden warden(program.status);  // before the stragglers: it is none of them
  Stragglers stragglers;
  const pid_t pid = fork();
  if (pid == 0) become(plan);
  if (pid < 0) return {ProgramEnd::Cause::not_started, errno};
  warden.watch_over(pid);
  output.write.reset();
  report.write.reset();

  int error = 0;  // the pipe closes by itself when exec succeeds
  ssize_t got = 0;
  while ((got = read(report.read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (got > 0) {
    waitpid(pid, nullptr, 0);
    return {ProgramEnd::Cause::not_started, error};
  }
  Running running(pid, std::move(output.read), watch);
  ProgramEnd end = running.finish();
  end.survivors = stragglers.end();
  running.take_the_rest();
  return end;
}

}  // namespace skein::tools::sandbox
