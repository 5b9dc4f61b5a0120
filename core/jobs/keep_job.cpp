#include "core/jobs/keep_job.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "core/jobs/job.h"
#include "core/jobs/output_log.h"
#include "core/jobs/record.h"
#include "core/text/base.h"
#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/wait.h"
#include "core/tools/sandbox/guard.h"
#include "core/tools/sandbox/interrupted.h"
#include "core/tools/sandbox/keeper.h"

namespace skein::jobs {

namespace {

using tools::sandbox::Guard, tools::sandbox::keeper_output;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds glance{100};

std::atomic<bool>& asked_to_end() {
  static std::atomic<bool> asked{false};
  return asked;
}

bool has_ended(pid_t program) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == program;
}

// False: nothing comes any more.
bool take_output(OutputLog& log) {
  std::array<char, 64 * 1024> buffer;
  const ssize_t got = read(keeper_output, buffer.data(), buffer.size());
  if (got > 0) log.add({buffer.data(), static_cast<std::size_t>(got)});
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

// Until the program has ended. True: because it was told to. `look` is called now and then.
bool watch_over(pid_t program, std::chrono::milliseconds grace, OutputLog& log,
                const std::function<void()>& look) {
  const Fd process = process_descriptor(program);
  bool told = false, prints = true;
  Deadline kill_at = no_deadline, look_at = Clock::now() + guard_interval;
  while (!has_ended(program)) {
    if (Clock::now() >= look_at) {
      look();
      look_at = Clock::now() + guard_interval;
    }
    if (asked_to_end() && !told) {
      told = true;
      tools::sandbox::terminate_kept(program);
      kill_at = Clock::now() + grace;
    }
    if (Clock::now() >= kill_at) {
      kill(-program, SIGKILL);
      kill_at = no_deadline;
    }
    std::array<pollfd, 2> fds{
        {{prints ? keeper_output : -1, POLLIN, 0}, {process.get(), POLLIN, 0}}};
    // Without a descriptor that tells of its end we look again.
    const Deadline next =
        std::min({kill_at, look_at, process ? no_deadline : Clock::now() + glance});
    const Wake wake = wait(fds, next, [&] { return asked_to_end() && !told; });
    if (wake == Wake::ready && fds[0].revents != 0) prints = take_output(log);
  }
  return told;
}

int keep_job(std::span<char* const> words) {
  if (words.size() != 3) return 2;
  const Job::Place place{words[0]};
  const pid_t program = std::atoi(words[1]);
  const std::chrono::milliseconds grace(std::atoi(words[2]));
  std::optional<Record> record = load_record(place.record());
  if (!record || program <= 1) return 1;
  struct sigaction action {};
  action.sa_handler = [](int) { asked_to_end() = true; };
  sigaction(SIGTERM, &action, nullptr);
  OutputLog log(place.log(), OutputLog::Use::go_on);
  tools::sandbox::confirm_taken_over();
  if (const int null = open("/dev/null", O_RDWR); null > 0) dup2(null, tools::sandbox::keeper_line);

  const std::unique_ptr<Guard> guard =
      Guard::of(tools::sandbox::GuardRecord::inherited(tools::sandbox::keeper_record));
  const bool told = watch_over(program, grace, log, [&] {
    if (guard) add_undone(*record, guard->take_back());
  });
  const tools::sandbox::Keeper::End end = tools::sandbox::finish_kept(program);
  if (guard) add_undone(*record, guard->finish());
  while (take_output(log) && is_readable(keeper_output)) {
  }
  record->state = told ? Record::State::stopped : Record::State::ended;
  record->ended = now_ms();
  if (!told && WIFEXITED(end.status)) record->exit_status = WEXITSTATUS(end.status);
  if (!told && WIFSIGNALED(end.status)) record->signal = WTERMSIG(end.status);
  return save_record(place.record(), *record) ? 0 : 1;
}

}  // namespace

std::optional<int> supervise(std::span<char* const> words) {
  if (words.empty()) return std::nullopt;
  const std::string_view word = words.front();
  try {
    if (word == keeper_word) return keep_job(words.subspan(1));
    if (word == tools::sandbox::undo_word) return tools::sandbox::undo_interrupted_command();
  } catch (const Error&) {  // nobody is there to read it
    return 1;
  }
  return std::nullopt;
}

}  // namespace skein::jobs
