#include "core/mcp/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "core/text/wait.h"
#include "core/tools/sandbox/process.h"

namespace skein::mcp {

namespace {

// How long we wait for servers when we leave: most end as soon as their input does.
constexpr std::chrono::milliseconds farewell{250};

struct Plan {
  const char* program;
  char* const* argv;
  char* const* envp;
  const char* folder;
  int input, output, errors, report, line;
  int grace_ms;
};

// Between fork and exec, and in all of the guardian, only async-signal-safe calls are made: another
// of our threads may have held any lock.

void default_signals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void close_from(unsigned first, unsigned flags) {
  if (syscall(SYS_close_range, first, ~0u, flags) == 0) return;
  for (int fd = static_cast<int>(first); fd < 4096; ++fd)
    if (flags == 0)
      close(fd);
    else
      fcntl(fd, F_SETFD, FD_CLOEXEC);
}

[[noreturn]] void become_server(const Plan& plan) {
  setsid();  // a group of its own, and no terminal whose keys it could read
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  default_signals();
  constexpr unsigned cloexec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
  if (dup2(plan.input, 0) == 0 && dup2(plan.output, 1) == 1 && dup2(plan.errors, 2) == 2 &&
      chdir(plan.folder) == 0) {
    close_from(3, cloexec);
    execve(plan.program, plan.argv, plan.envp);
  }
  const int error = errno;
  if (write(plan.report, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

// Whether the server has ended within that time. Everything that lost its parent is reaped too.
bool ended_within(pid_t server, int ms, int& status) {
  constexpr int step_ms = 10;
  for (int waited = 0;; waited += step_ms) {
    int one = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &one, WNOHANG)) > 0;)
      if (pid == server) {
        status = one;
        return true;
      }
    if (waited >= ms) return false;
    poll(nullptr, 0, step_ms);
  }
}

[[noreturn]] void leave_as(int status) {
  if (WIFSIGNALED(status)) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // its core would be no one's
    kill(getpid(), WTERMSIG(status));
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

[[noreturn]] void guard(const Plan& plan) {
  setsid();
  default_signals();
  signal(SIGCHLD, [](int) {});                // so that the end of the server ends a wait
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);  // what the server leaves stays its own
  sigset_t child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &before);
  const pid_t server = _Fork();
  if (server == 0) become_server(plan);
  if (server < 0) {
    const int error = errno;
    if (write(plan.report, &error, sizeof error) < 0) _exit(126);
    _exit(127);
  }
  dup2(plan.line, 0);
  close_from(1, 0);
  int status = 0;
  bool ended = false;
  for (pollfd line{0, POLLIN, 0}; !ended && line.revents == 0;) {
    ppoll(&line, 1, nullptr, &before);
    ended = ended_within(server, 0, status);
  }
  if (!ended) ended = ended_within(server, plan.grace_ms, status);
  if (!ended) {
    kill(-server, SIGTERM);
    ended = ended_within(server, plan.grace_ms, status);
  }
  kill(-server, SIGKILL);
  if (!ended) ended_within(server, plan.grace_ms, status);
  leave_as(status);
}

std::vector<char*> as_argv(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

bool may_run(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

}  // namespace

Guardian::Guardian(const Launch& launch) {
  Pipe in = make_pipe(), out = make_pipe(), err = make_pipe(), report = make_pipe(),
       line = make_pipe();
  if (!in.read || !out.read || !err.read || !report.read || !line.read)
    throw Error("cannot make a pipe: too many open files?");
  const std::vector<char*> argv = as_argv(launch.arguments), envp = as_argv(launch.environment);
  const Plan plan{launch.program.c_str(),
                  argv.data(),
                  envp.data(),
                  launch.folder.c_str(),
                  in.read.get(),
                  out.write.get(),
                  err.write.get(),
                  report.write.get(),
                  line.read.get(),
                  static_cast<int>(std::min<std::int64_t>(launch.grace.count(), INT_MAX))};
  {
    // A command that runs meanwhile would take the guardian for something it left behind.
    const auto alone = tools::sandbox::no_program_running();
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // our handlers mean us
    pid_ = fork();
    if (pid_ == 0) guard(plan);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  const int failed = errno;
  if (pid_ < 0) throw Error(std::string("cannot start a process: ") + std::strerror(failed));
  line_ = std::move(line.write);
  report.write.reset();
  int error = 0;  // the pipe closes by itself when exec succeeds
  ssize_t got = 0;
  while ((got = read(report.read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (got > 0) {
    line_.reset();
    wait_for_child(std::exchange(pid_, -1));
    throw Error("cannot run " + launch.program + ": " + std::strerror(error));
  }
  input = std::move(in.write);
  output = std::move(out.read);
  errors = std::move(err.read);
  for (const Fd* end : {&input, &output, &errors}) fcntl(end->get(), F_SETFL, O_NONBLOCK);
}

void Guardian::release() {
  input.reset();
  line_.reset();
}

std::string Guardian::how_it_ended() {
  if (pid_ <= 0) return {};
  const Fd process = process_descriptor(pid_);
  const Deadline due = std::chrono::steady_clock::now() + farewell;
  while (process && wait(process.get(), due) == Wake::signal) {
  }
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return {};
  pid_ = -1;
  if (WIFSIGNALED(status))
    return "it was ended by signal " + std::to_string(WTERMSIG(status)) + ", " +
           strsignal(WTERMSIG(status));
  return "it ended with status " + std::to_string(WEXITSTATUS(status));
}

Guardian::~Guardian() {
  release();
  how_it_ended();
}

std::string find_program(const std::string& command, const std::string& folder,
                         const std::vector<std::string>& environment) {
  if (command.starts_with('/')) return command;
  if (command.starts_with("~/")) return env("HOME") + command.substr(1);
  if (command.find('/') != std::string::npos) return folder + "/" + command;
  constexpr std::string_view path = "PATH=";
  const auto found = std::ranges::find_if(
      environment, [&](const std::string& entry) { return entry.starts_with(path); });
  if (found == environment.end()) return {};
  // A relative folder would mean whatever lies where the server runs.
  for (const std::string_view each : split(std::string_view(*found).substr(path.size()), ':'))
    if (const std::string file = std::string(each) + "/" + command;
        each.starts_with('/') && may_run(file))
      return file;
  return {};
}

}  // namespace skein::mcp
