#include "core/process/child.h"

#include "core/text/std.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sstream>

#include "core/text/io.h"

namespace skein::process {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t native = AUDIT_ARCH_X86_64, foreign_socket = 359;  // i386
#elif defined(__aarch64__)
constexpr std::uint32_t native = AUDIT_ARCH_AARCH64, foreign_socket = 281;  // arm
#else
#error "the numbers of system calls are not known for this architecture"
#endif
constexpr std::uint32_t foreign_socketcall = 102;  // unseen arguments in memory, so refused
constexpr std::uint32_t io_uring_setup = 425;      // makes sockets without a system call for it
constexpr std::uint32_t x32_bit = 0x4000'0000;     // the same calls under a second number

constexpr sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

// Refuses every socket but those of these families.
template <std::size_t Count>
constexpr auto filter_for(const std::array<std::uint32_t, Count>& families) {
  constexpr std::size_t first_family = 11, allow = first_family + Count, refuse = allow + 1;
  std::array<sock_filter, refuse + 1> rows{};
  std::size_t row = 0;
  const auto add = [&](sock_filter filter) { rows[row++] = filter; };
  // From the row that is added next: where a call with this number goes, and any other.
  const auto branch = [&](std::uint32_t value, std::size_t yes, std::size_t no) {
    const auto from_here = [&](std::size_t to) { return static_cast<std::uint8_t>(to - row - 1); };
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, from_here(yes), from_here(no)));
  };
  constexpr std::size_t native_call = 6, family = first_family - 1;
  add(load(offsetof(seccomp_data, arch)));
  branch(native, native_call, 2);
  add(load(offsetof(seccomp_data, nr)));  // 32-bit programs
  branch(foreign_socket, family, 4);
  branch(foreign_socketcall, refuse, 5);
  branch(io_uring_setup, refuse, allow);
  add(load(offsetof(seccomp_data, nr)));
  add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~x32_bit));
  branch(io_uring_setup, refuse, 9);
  branch(SYS_socket, family, allow);
  add(load(offsetof(seccomp_data, args)));
  for (std::size_t i = 0; i < Count; ++i)
    branch(families[i], allow, i + 1 < Count ? first_family + i + 1 : refuse);
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  return rows;
}

// bubblewrap brings up loopback in the namespace through netlink.
constexpr auto in_namespace =
    filter_for(std::array<std::uint32_t, 4>{AF_UNIX, AF_INET, AF_INET6, AF_NETLINK});
constexpr auto local = filter_for(std::array<std::uint32_t, 1>{AF_UNIX});

// For this process and all it will start. io_uring, which makes sockets without a system call for
// each, is closed with them. Needs PR_SET_NO_NEW_PRIVS. Safe after a fork; false: errno.
bool restrict_sockets(Sockets sockets) {
  const auto install = [](const auto& filter) {
    const sock_fprog program{static_cast<unsigned short>(filter.size()),
                             const_cast<sock_filter*>(filter.data())};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  };
  switch (sockets) {
    case Sockets::all: return true;
    case Sockets::in_namespace: return install(in_namespace);
    case Sockets::local: return install(local);
  }
  return false;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Landlock restricts only files. Like bubblewrap, this takes away what else root may do, such as
// CAP_PERFMON (every process's environment) and CAP_NET_RAW. no_new_privs keeps it away.
bool drop_capabilities() {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (unsigned long each = 0; prctl(PR_CAPBSET_DROP, each, 0, 0, 0) == 0; ++each) continue;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  return syscall(SYS_capset, &header, none) == 0;
}

// The kernel counts all the user's processes; the machine's, read in one go, are at least as many.
std::uint64_t running_processes() {
  double load_average = 0;
  char slash = 0;
  std::uint64_t running = 0, all = 0;  // "0.20 0.18 0.12 1/80 11206"
  std::istringstream(file_beginning("/proc/loadavg")) >> load_average >> load_average >>
      load_average >> running >> slash >> all;
  return all;
}

rlimit lowered(__rlimit_resource_t resource, std::uint64_t most) {
  rlimit limit{};
  getrlimit(resource, &limit);
  if (most == 0) return limit;
  return {std::min<rlim_t>(limit.rlim_cur, most), std::min<rlim_t>(limit.rlim_max, most)};
}

bool connect(int from, int to) { return from < 0 || dup2(from, to) == to; }

}  // namespace

bool socket_filter_works() {
  // With no filter given: "bad address" where filters are known.
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr, 0, 0) == -1 && errno == EFAULT;
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

ExecPlan::ExecPlan(const Program& program)
    : program_(program),
      arguments_(pointers(program.arguments)),
      environment_(pointers(program.environment)) {
  const ProgramLimits& limits = program.limits;
  processes_ =
      lowered(RLIMIT_NPROC, limits.processes == 0 ? 0 : running_processes() + limits.processes);
  memory_ = lowered(RLIMIT_DATA, limits.memory);
}

void ExecPlan::close_others() const {
  constexpr unsigned cloexec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
  if (syscall(SYS_close_range, 3u, ~0u, cloexec) != 0)
    for (int fd = 3; fd < 4096; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
  for (const int each : program_.keep) fcntl(each, F_SETFD, 0);
}

bool ExecPlan::prepare(pid_t parent) const {
  if (program_.group == Program::Group::own) setpgid(0, 0);
  if (program_.group == Program::Group::session) {
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) _exit(127);  // it died before it could be asked for
  }
  reset_signals();
  return setrlimit(RLIMIT_NPROC, &processes_) == 0 && setrlimit(RLIMIT_DATA, &memory_) == 0 &&
         connect(program_.input, 0) && connect(program_.output, 1) && connect(program_.errors, 2) &&
         (program_.folder < 0 || fchdir(program_.folder) == 0) &&
         (!program_.no_new_privileges || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) &&
         (program_.landlock < 0 || (drop_capabilities() && syscall(SYS_landlock_restrict_self,
                                                                   program_.landlock, 0) == 0)) &&
         restrict_sockets(program_.sockets);
}

void ExecPlan::become(pid_t parent, int failure) const {
  const bool prepared = prepare(parent);
  if (prepared && program_.group == Program::Group::session) close_others();
  if (prepared && program_.path.empty())
    execvpe(arguments_[0], arguments_.data(), environment_.data());
  else if (prepared)
    execve(program_.path.c_str(), arguments_.data(), environment_.data());
  const int error = errno;
  if (write(failure, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

StartedChild start_child(const Program& program) {
  Pipe failure = make_pipe();
  if (!failure.read) return {-1, errno};
  const ExecPlan plan(program);
  const pid_t self = getpid(), child = fork();
  if (child < 0) return {-1, errno};
  if (child == 0) plan.become(self, failure.write.get());
  failure.write.reset();
  int error = 0;
  ssize_t got = 0;  // the pipe closes by itself when exec succeeds
  while ((got = read(failure.read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (got <= 0) return {child, 0};
  wait_for_child(child);
  return {-1, error};
}

}  // namespace skein::process
