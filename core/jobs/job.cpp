#include "core/jobs/job.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

#include "core/jobs/keep_job.h"
#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/quiet_thread.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::jobs {

using State = Record::State;
using tools::sandbox::ProgramEnd;

namespace {

constexpr std::size_t most_line = 400;

std::string_view last_line_of(std::string_view text) {
  text = trimmed(text, "\r\n");
  return text.substr(text.find_last_of("\r\n") + 1);
}

void signal_process(pid_t process, int number) {
  const Fd fd = process_descriptor(process);
  if (!fd || syscall(SYS_pidfd_send_signal, fd.get(), number, nullptr, 0) != 0)
    ::kill(process, number);
}

}  // namespace

Job::Job(Record record, Parts parts, std::string_view printed_before, Ended ended)
    : parts_(std::move(parts)),
      ended_(std::move(ended)),
      log_(parts_.place.log(), parts_.program ? OutputLog::Use::create : OutputLog::Use::read),
      woken_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      record_(std::move(record)) {
  if (!woken_) throw Error("no job can be started: too many open files");
  if (parts_.program) {
    log_.add(printed_before);
    set_keeper(record_, getpid());
    if (!save_record(parts_.place.record(), record_))
      throw Error("no job can be started: " + parts_.place.record() + " cannot be written");
  }
  thread_ = quiet_thread([this] { parts_.program ? watch_program() : watch_keeper(); });
}

Job::~Job() {
  if (parts_.program) stop_ = true;
  hand_over_ = true;  // a keeper's is left as it is
  wake();
  if (thread_.joinable()) thread_.join();
}

void Job::wake() const {
  const std::uint64_t one = 1;
  // It can only fail when it is set already.
  [[maybe_unused]] const ssize_t written = write(woken_.get(), &one, sizeof one);
}

Record Job::record() const {
  Record out;
  {
    const std::lock_guard lock(mutex_);
    out = record_;
  }
  out.printed = log_.printed();
  out.last_line = last_line_of(log_.tail(1, most_line).text);
  return out;
}

void Job::ask_to_stop() {
  stop_ = true;
  wake();
}

bool Job::wait_until_ended(std::chrono::milliseconds most) const {
  std::unique_lock lock(mutex_);
  return over_.wait_for(lock, most, [this] { return !record_.runs(); });
}

void Job::note(std::string undone) {
  const std::lock_guard lock(mutex_);
  add_undone(record_, std::move(undone));
}

void Job::watch_program() {
  tools::sandbox::Watch watch;
  watch.output = [this](std::string_view piece) { log_.add(piece); };
  watch.stopped = [this] { return stops(); };
  watch.wake_fd = woken_.get();
  watch.time = guard_interval;
  watch.grace = parts_.grace;
  watch.leaves = [this](bool due) { return due || hand_over_; };
  for (;;) {
    const std::optional<ProgramEnd> end = parts_.program->watch(watch);
    if (parts_.guard) note(end ? parts_.guard->finish() : parts_.guard->take_back());
    if (end) parts_.program->settled();
    if (end)
      return finish(end->cause == ProgramEnd::Cause::stopped ? State::stopped : State::ended, *end);
    if (hand_over_) return;
  }
}

// It writes down how the job ended before it ends itself.
void Job::watch_keeper() {
  const Fd keeper = process_descriptor(record_.keeper);
  for (bool told = false; keeper_lives(record_);) {
    if (stops() && !std::exchange(told, true)) signal_process(record_.keeper, SIGTERM);
    std::array<pollfd, 2> fds{{{keeper.get(), POLLIN, 0}, {told ? -1 : woken_.get(), POLLIN, 0}}};
    // Without a descriptor that tells of its end we look again.
    wait(fds,
         keeper ? no_deadline : std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
    if (hand_over_) return;
  }
  Record now = load_record(parts_.place.record()).value_or(record_);
  if (now.runs()) {
    now.state = State::ended;
    now.ended = now_ms();
  }
  conclude(std::move(now));
}

void Job::finish(State state, const ProgramEnd& end) {
  Record record;
  {
    const std::lock_guard lock(mutex_);
    record = record_;
  }
  record.state = state;
  record.ended = now_ms();
  if (state == State::ended && end.cause == ProgramEnd::Cause::exited)
    record.exit_status = end.code;
  if (end.cause == ProgramEnd::Cause::signalled) record.signal = end.code;
  conclude(std::move(record));
}

void Job::conclude(Record record) {
  save_record(parts_.place.record(), record);
  {
    const std::lock_guard lock(mutex_);
    record_ = std::move(record);
  }
  ended_(*this);
  over_.notify_all();
}

bool Job::keep() {
  if (!parts_.program) return true;  // as it was
  hand_over_ = true;
  wake();
  if (thread_.joinable()) thread_.join();
  Record kept = record();
  if (!kept.runs()) return false;
  kept.kept = true;
  set_keeper(kept, parts_.program->keeper().pid());
  save_record(parts_.place.record(), kept);
  // The executable we are, even if another lies in its place by now.
  if (parts_.program->keeper().hand_over({"/proc/self/exe", std::string(keeper_word),
                                          parts_.place.base,
                                          std::to_string(parts_.program->keeper().program()),
                                          std::to_string(parts_.grace.count())})) {
    parts_.left();
    if (parts_.guard) parts_.guard->leave();
    const std::lock_guard lock(mutex_);
    record_ = std::move(kept);
    return true;
  }
  save_record(parts_.place.record(), record_);
  stop_ = true;
  hand_over_ = false;
  watch_program();
  return false;
}

}  // namespace skein::jobs
