#include "core/process/supervisor.h"

#include "core/text/std.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/text/wait.h"

namespace skein::process {

namespace {

using Clock = std::chrono::steady_clock;

constexpr char word_terminate = 't', word_kill = 'k', word_hand_over = 'h', word_settled = 's';
// How long what a program left behind is looked for and ended.
constexpr int straggler_ms = 2'000, step_ms = 10;

// From the supervisor to skein.
struct SupervisorReport {
  enum class Kind : std::int32_t { started, failed, ended, taken_over } kind{};
  std::int32_t value = 0;  // a process, an errno, a wait status
  std::int32_t survivors = 0;
};

void tell(SupervisorReport report) {
  ::send(supervisor_line, &report, sizeof report, MSG_NOSIGNAL);
}

// The first number in the text; no library's parser is safe here.
pid_t number_in(const char* text, ssize_t length) {
  pid_t number = 0;
  for (ssize_t i = 0; i < length; ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (digit)
      number = number * 10 + (text[i] - '0');
    else if (number > 0)
      break;
  }
  return number;
}

ssize_t read_some(int fd, char* into, std::size_t room) {
  ssize_t got = -1;
  while ((got = read(fd, into, room)) < 0 && errno == EINTR) {
  }
  return got;
}

// The first process inside bubblewrap; 0: there is none, or bubblewrap has not reported it.
pid_t inside() {
  static pid_t found = 0;  // this process supervises one program
  std::array<char, 256> text;
  if (found == 0)
    found = number_in(text.data(), read_some(supervisor_status, text.data(), text.size()));
  return found;
}

ssize_t read_file(const char* path, char* into, std::size_t room) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t got = read_some(fd, into, room);
  close(fd);
  return got;
}

void kill_listed(const char* text, ssize_t length) {
  for (ssize_t at = 0; at < length;) {
    ssize_t end = at;
    while (end < length && text[end] != ' ') ++end;
    if (const pid_t pid = number_in(text + at, end - at); pid > 1) kill(pid, SIGKILL);
    at = end + 1;
  }
}

// "PID (name) state parent …"; the name may hold anything.
pid_t parent_in(const char* stat, ssize_t length) {
  ssize_t at = length;
  while (at > 0 && stat[at - 1] != ')') --at;
  return at + 2 < length ? number_in(stat + at + 2, length - at - 2) : 0;
}

// Not every kernel lists children: then every process there is is asked for its parent.
void kill_found_children() {
  const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  alignas(dirent64) std::array<char, 4096> entries;
  for (long got; (got = syscall(SYS_getdents64, folder, entries.data(), entries.size())) > 0;)
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += entry->d_reclen;
      const char* name = entry->d_name;
      const std::size_t length = strlen(name);
      if (name[0] < '1' || name[0] > '9' || length > 10) continue;
      std::array<char, 32> path{};
      std::array<char, 512> stat;
      memcpy(path.data(), "/proc/", 6);
      memcpy(path.data() + 6, name, length);
      memcpy(path.data() + 6 + length, "/stat", 5);
      if (parent_in(stat.data(), read_file(path.data(), stat.data(), stat.size())) == getpid())
        kill(number_in(name, static_cast<ssize_t>(length)), SIGKILL);
    }
  close(folder);
}

void kill_children() {
  std::array<char, 4096> list;
  const ssize_t got = read_file("/proc/thread-self/children", list.data(), list.size());
  if (got < 0)
    kill_found_children();
  else
    kill_listed(list.data(), got);
}

// Whether the program has ended. It is not waited for yet, so that its group's number cannot
// belong to another; what else has ended is.
bool has_ended(pid_t program) {
  siginfo_t info{};
  while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0) {
    if (info.si_pid == program) return true;
    waitpid(info.si_pid, nullptr, WNOHANG);
    info = {};
  }
  return info.si_pid == program;
}

bool ends_within(pid_t program, int ms) {
  for (int waited = 0; !has_ended(program); waited += step_ms) {
    if (waited >= ms) return false;
    poll(nullptr, 0, step_ms);
  }
  return true;
}

// Ends it because skein asked for that, or because skein is gone.
void end_program(pid_t program, int grace_ms) {
  if (grace_ms > 0 && ends_within(program, grace_ms)) return;
  if (grace_ms > 0) {
    terminate_program(program);
    if (ends_within(program, grace_ms)) return;
  }
  kill(-program, SIGKILL);
  // It is reported before the process inside may continue, so it is there or was in the group.
  if (const pid_t first = inside(); first > 1) kill(first, SIGKILL);
  ends_within(program, straggler_ms);
}

constexpr int supervisor_holds = supervisor_record + 1, supervisor_claim = supervisor_holds + 1,
              supervisor_failure = supervisor_claim + 1;

// Keeps these descriptors and no others: one that another thread meant for its own supervisor would
// keep that supervisor waiting. They are moved up first, since one may be where another goes.
void arrange(const Supervision& wants, int line, int failure) {
  constexpr int places[] = {supervisor_line,   supervisor_status, supervisor_output,
                            supervisor_record, supervisor_holds,  supervisor_claim,
                            supervisor_failure};
  const int wanted[] = {line,        wants.status, wants.output, wants.record,
                        wants.holds, wants.claim,  failure};
  int moved[std::size(places)];
  for (std::size_t i = 0; i < std::size(places); ++i)
    moved[i] = wanted[i] < 0 ? -1 : fcntl(wanted[i], F_DUPFD, supervisor_failure + 1);
  const int null = open("/dev/null", O_RDWR);
  for (int place = 0; place <= supervisor_failure; ++place) dup2(null, place);
  for (std::size_t i = 0; i < std::size(places); ++i)
    if (moved[i] >= 0) dup2(moved[i], places[i]);
  constexpr unsigned first = supervisor_failure + 1;
  if (syscall(SYS_close_range, first, ~0u, 0u) != 0)
    for (int fd = static_cast<int>(first); fd < 4096; ++fd) close(fd);
}

// The words follow each other, each with a NUL behind it.
void become_other(char* words, ssize_t length) {
  std::array<char*, 16> argv{};
  std::size_t count = 0;
  for (ssize_t at = 0; at < length && count + 1 < argv.size();
       at += static_cast<ssize_t>(strlen(words + at)) + 1)
    argv[count++] = words + at;
  char* const no_environment[] = {nullptr};
  sigset_t none, before;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, &before);
  if (count > 0) execve(argv[0], argv.data(), no_environment);
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  tell({SupervisorReport::Kind::failed, error});
}

// Until skein has undone what the program changed. If the line ends first and there is a record of
// it, skein runs again for it.
void wait_until_settled(bool recorded) {
  char word = 0;
  for (ssize_t got = 1; got != 0 && word != word_settled;) {
    got = recv(supervisor_line, &word, 1, 0);
    if (got < 0 && errno != EINTR) break;
  }
  if (word == word_settled || !recorded) return;
  char path[] = "/proc/self/exe", undo[32] = {};
  memcpy(undo, undo_word.data(), undo_word.size());
  char* const argv[] = {path, undo, nullptr};
  char* const no_environment[] = {nullptr};
  reset_signals();
  execve(path, argv, no_environment);
}

// False: the line has ended.
bool heed(pid_t program) {
  std::array<char, 16 * 1024> words;
  const ssize_t got = recv(supervisor_line, words.data(), words.size() - 1, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
  if (got < 0) return true;
  words[static_cast<std::size_t>(got)] = '\0';
  if (words[0] == word_terminate) terminate_program(program);
  if (words[0] == word_kill) kill(-program, SIGKILL);
  if (words[0] == word_hand_over) become_other(words.data() + 1, got - 1);
  return true;
}

[[noreturn]] void supervise(const ExecPlan& plan, const Supervision& wants, int line,
                            const Pipe& failure) {
  setsid();  // the terminal's keys are not for it
  // Another name than skein's: `killall -9 skein` must leave it to undo the command.
  prctl(PR_SET_NAME, "supervisor", 0, 0, 0);
  reset_signals();
  signal(SIGCHLD, [](int) {});  // so that the end of the program ends a wait
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  sigset_t child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &before);
  const pid_t self = getpid(), program = _Fork();
  if (program == 0) plan.become(self, failure.write.get());
  int error = program < 0 ? errno : 0;
  const int grace = static_cast<int>(wants.grace.count());
  const bool recorded = wants.record >= 0, claims = wants.claim >= 0;
  arrange(wants, line, failure.read.get());
  // The pipe closes by itself when exec succeeds.
  if (program > 0 &&
      read_some(supervisor_failure, reinterpret_cast<char*>(&error), sizeof error) != sizeof error)
    error = 0;
  close(supervisor_failure);
  if (error != 0) {
    tell({SupervisorReport::Kind::failed, error});
    _exit(127);
  }
  tell({SupervisorReport::Kind::started, program});
  for (;;) {
    pollfd poll_line{supervisor_line, POLLIN, 0};
    if (has_ended(program)) break;
    ppoll(&poll_line, 1, nullptr, &before);
    if (poll_line.revents != 0 && !heed(program)) {
      end_program(program, grace);
      break;
    }
  }
  const Supervisor::End end = finish_program(program);
  tell({SupervisorReport::Kind::ended, end.status, static_cast<std::int32_t>(end.survivors)});
  if (recorded || claims) wait_until_settled(recorded);
  _exit(0);
}

Supervisor::End end_in(const SupervisorReport& report) {
  return {report.value, static_cast<std::size_t>(report.survivors)};
}

std::optional<SupervisorReport> report_on(int line, int flags) {
  SupervisorReport report;
  ssize_t got = -1;
  while ((got = recv(line, &report, sizeof report, flags)) < 0 && errno == EINTR) {
  }
  if (got == sizeof report) return report;
  return std::nullopt;
}

}  // namespace

void confirm_taken_over() { tell({SupervisorReport::Kind::taken_over}); }

void terminate_program(pid_t program) {
  // A group that is not there yet: the command has not begun, so nothing is left untidy. SIGTERM
  // to bubblewrap itself would kill everything at once.
  if (const pid_t group = inside(); group <= 1 || ::kill(-group, SIGTERM) != 0)
    ::kill(-program, SIGTERM);
}

Supervisor::End finish_program(pid_t program) {
  ::kill(-program, SIGKILL);
  Supervisor::End end;
  waitpid(program, &end.status, WNOHANG);
  for (int waited = 0;; waited += step_ms) {
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return end;
    if (waited >= straggler_ms) break;
    // The children of each become ours when it ends, and are found the next time.
    kill_children();
    pollfd none{-1, 0, 0};
    const timespec step{0, step_ms * 1'000'000L / (waited == 0 ? 10 : 1)};
    ppoll(&none, 0, &step, nullptr);
  }
  end.survivors = 1;  // at least: they make new ones faster than they can be found, or hang
  return end;
}

Supervisor::Supervisor(const Program& program, const Supervision& supervision) {
  int ends[2];
  Pipe failure = make_pipe();
  if (!failure.read || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    error_ = errno;
    return;
  }
  const ExecPlan plan(program);
  line_ = Fd(ends[0]);
  Fd other(ends[1]);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // our handlers mean us
  pid_ = fork();
  if (pid_ == 0) supervise(plan, supervision, other.get(), failure);
  error_ = pid_ < 0 ? errno : 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid_ < 0) return;
  other.reset();
  failure.write.reset();  // the supervisor waits until no process has it open
  const std::optional<SupervisorReport> report = report_on(line_.get(), 0);
  if (report && report->kind == SupervisorReport::Kind::started)
    program_ = report->value;
  else
    error_ = report ? report->value : ECHILD;
}

Supervisor::~Supervisor() {
  if (pid_ <= 0) return;
  line_.reset();
  const Fd process = process_descriptor(pid_);
  const Deadline due = Clock::now() + patience;
  while (process && wait(process.get(), due) == Wake::signal) {
  }
  waitpid(pid_, nullptr, process ? WNOHANG : 0);
}

std::optional<Supervisor::End> Supervisor::end() {
  if (over_) return end_;
  if (!is_readable(line_.get())) return std::nullopt;
  const std::optional<SupervisorReport> report = report_on(line_.get(), MSG_DONTWAIT);
  over_ = true;
  // A supervisor that was killed took the program with it.
  end_ =
      report && report->kind == SupervisorReport::Kind::ended ? end_in(*report) : End{SIGKILL, 0};
  return end_;
}

void Supervisor::send(char word) const { ::send(line_.get(), &word, 1, MSG_NOSIGNAL); }
void Supervisor::terminate() const { send(word_terminate); }
void Supervisor::kill() const { send(word_kill); }
void Supervisor::settled() const { send(word_settled); }
void Supervisor::release() const { shutdown(line_.get(), SHUT_WR); }

bool Supervisor::hand_over(const std::vector<std::string>& arguments) {
  std::string words(1, word_hand_over);
  for (const std::string& each : arguments) words += each + '\0';
  if (over_ || ::send(line_.get(), words.data(), words.size(), MSG_NOSIGNAL) < 0) return false;
  const Deadline due = Clock::now() + patience;
  while (wait(line_.get(), due) == Wake::signal) {
  }
  const std::optional<SupervisorReport> report = report_on(line_.get(), MSG_DONTWAIT);
  if (report && report->kind == SupervisorReport::Kind::ended) {
    over_ = true;
    end_ = end_in(*report);
  }
  if (!report || report->kind != SupervisorReport::Kind::taken_over) return false;
  pid_ = -1;  // no process waits for it any more
  over_ = true;
  line_.reset();
  return true;
}

}  // namespace skein::process
