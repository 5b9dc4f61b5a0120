#include "core/mcp/guardian.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::mcp {

namespace {

// How long we wait for servers when we leave: most end as soon as their input does.
constexpr std::chrono::milliseconds farewell{250};

struct Plan {
  const char* program;
  char* const* argv;
  char* const* envp;
  const char* folder;
  int input, output, errors;
};

// Only async-signal-safe calls: see Kept.
int become_server(const void* planned, pid_t keeper) {
  const Plan& plan = *static_cast<const Plan*>(planned);
  setsid();  // a group of its own, and no terminal whose keys it could read
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != keeper) _exit(127);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  constexpr unsigned cloexec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
  if (dup2(plan.input, 0) == 0 && dup2(plan.output, 1) == 1 && dup2(plan.errors, 2) == 2 &&
      chdir(plan.folder) == 0) {
    if (syscall(SYS_close_range, 3u, ~0u, cloexec) != 0)
      for (int fd = 3; fd < 4096; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
    execve(plan.program, plan.argv, plan.envp);
  }
  return errno;
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
  Pipe in = make_pipe(), out = make_pipe(), err = make_pipe();
  if (!in.read || !out.read || !err.read) throw Error("cannot make a pipe: too many open files?");
  const std::vector<char*> argv = as_argv(launch.arguments), envp = as_argv(launch.environment);
  const Plan plan{launch.program.c_str(), argv.data(),     envp.data(),    launch.folder.c_str(),
                  in.read.get(),          out.write.get(), err.write.get()};
  keeper_.emplace(
      tools::sandbox::Kept{.become = become_server, .plan = &plan, .grace = launch.grace});
  if (keeper_->error() != 0)
    throw Error("cannot run " + launch.program + ": " + std::strerror(keeper_->error()));
  keeper_->patience = farewell;
  input = std::move(in.write);
  output = std::move(out.read);
  errors = std::move(err.read);
  for (const Fd* end : {&input, &output, &errors}) fcntl(end->get(), F_SETFL, O_NONBLOCK);
}

void Guardian::release() {
  input.reset();
  keeper_->release();
}

std::string Guardian::how_it_ended() {
  const Deadline due = std::chrono::steady_clock::now() + farewell;
  while (!keeper_->end() && wait(keeper_->line(), due) == Wake::signal) {
  }
  const auto end = keeper_->end();
  if (!end) return {};
  if (WIFSIGNALED(end->status))
    return "it was ended by signal " + std::to_string(WTERMSIG(end->status)) + ", " +
           strsignal(WTERMSIG(end->status));
  return "it ended with status " + std::to_string(WEXITSTATUS(end->status));
}

Guardian::~Guardian() { release(); }

std::string find_program(const std::string& command, const std::string& folder,
                         const std::vector<std::string>& environment) {
  if (command.starts_with('/')) return command;
  if (command.starts_with("~/")) return with_user_home(command);
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
