#include "core/jobs/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/jobs/output_log.h"
#include "core/jobs/record.h"
#include "core/process/supervisor.h"
#include "core/sandbox/guard.h"
#include "core/sandbox/interrupted.h"
#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/wait.h"

namespace skein::jobs {

namespace {

using sandbox::Guard, process::supervisor_output;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds glance{100};

std::atomic<bool> asked_to_end{false};

bool has_ended(pid_t program) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == program;
}

// False: nothing comes any more.
bool take_output(OutputLog& log) {
  std::array<char, 64 * 1024> buffer;
  const ssize_t got = read(supervisor_output, buffer.data(), buffer.size());
  if (got > 0) log.add({buffer.data(), static_cast<std::size_t>(got)});
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

// Until the program has ended. True: because it was asked to. `look` is called now and then.
bool watch_over(pid_t program, std::chrono::milliseconds grace, OutputLog& log,
                const std::function<void()>& look) {
  const Fd process = process_descriptor(program);
  bool stopping = false, prints = true;
  Deadline kill_at = no_deadline, look_at = Clock::now() + guard_interval;
  while (!has_ended(program)) {
    if (Clock::now() >= look_at) {
      look();
      look_at = Clock::now() + guard_interval;
    }
    if (asked_to_end && !stopping) {
      stopping = true;
      process::terminate_program(program);
      kill_at = Clock::now() + grace;
    }
    if (Clock::now() >= kill_at) {
      kill(-program, SIGKILL);
      kill_at = no_deadline;
    }
    std::array<pollfd, 2> fds{
        {{prints ? supervisor_output : -1, POLLIN, 0}, {process.get(), POLLIN, 0}}};
    // Without a descriptor that tells of its end we look again.
    const Deadline next =
        std::min({kill_at, look_at, process ? no_deadline : Clock::now() + glance});
    const Wake wake = wait(fds, next, [&] { return asked_to_end && !stopping; });
    if (wake == Wake::ready && fds[0].revents != 0) prints = take_output(log);
  }
  return stopping;
}

int keep_job(std::span<char* const> words) {
  if (words.size() != 3) return 2;
  const JobFiles files{words[0]};
  const pid_t program = std::atoi(words[1]);
  const std::chrono::milliseconds grace(std::atoi(words[2]));
  std::optional<Record> record = load_record(files.record());
  if (!record || program <= 1) return 1;
  struct sigaction action {};
  action.sa_handler = [](int) { asked_to_end = true; };
  sigaction(SIGTERM, &action, nullptr);
  OutputLog log(files.log(), OutputLog::Use::go_on);
  process::confirm_taken_over();
  if (const int null = open("/dev/null", O_RDWR); null > 0) dup2(null, process::supervisor_line);

  const std::unique_ptr<Guard> guard =
      Guard::of(sandbox::GuardRecord::inherited(process::supervisor_record));
  const bool stopping = watch_over(program, grace, log, [&] {
    if (guard) add_undone(*record, guard->take_back());
  });
  const process::Supervisor::End end = process::finish_program(program);
  if (guard) add_undone(*record, guard->finish());
  while (take_output(log) && is_readable(supervisor_output)) {
  }
  record->state = stopping ? Record::State::stopped : Record::State::ended;
  record->ended = now_ms();
  if (!stopping && WIFEXITED(end.status)) record->exit_status = WEXITSTATUS(end.status);
  if (!stopping && WIFSIGNALED(end.status)) record->signal = WTERMSIG(end.status);
  return save_record(files.record(), *record) ? 0 : 1;
}

}  // namespace

std::optional<int> supervise(std::span<char* const> words) {
  if (words.empty()) return std::nullopt;
  const std::string_view word = words.front();
  try {
    if (word == keep_job_word) return keep_job(words.subspan(1));
    if (word == process::undo_word) return sandbox::undo_interrupted_command();
  } catch (const Error&) {  // there is no user to read it
    return 1;
  }
  return std::nullopt;
}

}  // namespace skein::jobs
