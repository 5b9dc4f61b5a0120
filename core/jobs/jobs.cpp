#include "core/jobs/jobs.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "core/jobs/supervise.h"
#include "core/text/text.h"

namespace skein::jobs {

namespace {

using State = Record::State;
using process::ProgramEnd;
namespace fs = std::filesystem;

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

// What the model reads about the end of a job.
constexpr std::size_t report_lines = 20, report_bytes = 4'000;

// The numbers of the jobs that are written down in a folder.
std::vector<int> numbers_in(const std::string& folder) {
  std::vector<int> out;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const int id = parse_number<int>(entry->path().stem().string()).value_or(0);
    if (id > 0 && entry->path().extension() == ".json") out.push_back(id);
  }
  std::ranges::sort(out);
  return out;
}

// Runs, and would not go on without us.
bool ends_with_us(const std::shared_ptr<Job>& job) {
  const Record record = job->record();
  return record.runs() && !record.kept;
}

std::string report_on(const Record& record, const OutputLog& log) {
  return report(record, log.tail(report_lines, report_bytes).text);
}

}  // namespace

Job::Job(Record record, Parts parts, std::string_view printed_before, Ended ended)
    : parts_(std::move(parts)),
      ended_(std::move(ended)),
      log_(parts_.files.log(), parts_.program ? OutputLog::Use::create : OutputLog::Use::read),
      woken_("no job can be started: too many open files"),
      record_(std::move(record)) {
  if (parts_.program) {
    log_.add(printed_before);
    set_watcher(record_, getpid());
    if (!save_record(parts_.files.record(), record_))
      throw Error("no job can be started: " + parts_.files.record() + " cannot be written");
  }
  thread_ = quiet_thread([this] { parts_.program ? watch_program() : watch_supervisor(); });
}

Job::~Job() {
  if (parts_.program) stop_ = true;
  hand_over_ = true;  // one with a supervisor is left as it is
  woken_.raise();
  if (thread_.joinable()) thread_.join();
}

Record Job::written() const {
  const std::lock_guard lock(mutex_);
  return record_;
}

Record Job::record() const {
  Record out = written();
  out.printed = log_.printed();
  out.last_line = last_line_of(log_.tail(1, most_line).text);
  return out;
}

void Job::ask_to_stop() {
  stop_ = true;
  woken_.raise();
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
  process::ProgramWatch watch;
  watch.output = [this](std::string_view piece) { log_.add(piece); };
  watch.stopped = [this] { return stop_.load(); };
  watch.wake_fd = woken_.fd();
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
void Job::watch_supervisor() {
  const Fd watcher = process_descriptor(record_.watcher);
  for (bool reported = false; watcher_lives(record_);) {
    if (stop_ && !std::exchange(reported, true)) signal_process(record_.watcher, SIGTERM);
    std::array<pollfd, 2> fds{
        {{watcher.get(), POLLIN, 0}, {reported ? -1 : woken_.fd(), POLLIN, 0}}};
    // Without a descriptor that tells of its end we look again.
    wait(fds,
         watcher ? no_deadline : std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
    if (hand_over_) return;
  }
  Record now = load_record(parts_.files.record()).value_or(record_);
  if (now.runs()) {
    now.state = State::ended;
    now.ended = now_ms();
  }
  conclude(std::move(now));
}

void Job::finish(State state, const ProgramEnd& end) {
  Record record = written();
  record.state = state;
  record.ended = now_ms();
  if (state == State::ended && end.cause == ProgramEnd::Cause::exited)
    record.exit_status = end.code;
  if (end.cause == ProgramEnd::Cause::signalled) record.signal = end.code;
  conclude(std::move(record));
}

void Job::conclude(Record record) {
  save_record(parts_.files.record(), record);
  // First the report, then the state: an idle prompt looks for reports while a job runs.
  ended_(record, log_);
  {
    const std::lock_guard lock(mutex_);
    record_ = std::move(record);
  }
  over_.notify_all();
}

bool Job::keep() {
  if (!parts_.program) return true;  // as it was
  hand_over_ = true;
  woken_.raise();
  if (thread_.joinable()) thread_.join();
  Record kept = record();
  if (!kept.runs()) return false;
  kept.kept = true;
  set_watcher(kept, parts_.program->supervisor().pid());
  save_record(parts_.files.record(), kept);
  // The executable we are, even if another one has its path by now.
  if (parts_.program->supervisor().hand_over(
          {"/proc/self/exe", std::string(keep_job_word), parts_.files.base,
           std::to_string(parts_.program->supervisor().program()),
           std::to_string(parts_.grace.count())})) {
    parts_.left();
    if (parts_.guard) parts_.guard->leave();
    const std::lock_guard lock(mutex_);
    record_ = std::move(kept);
    return true;
  }
  save_record(parts_.files.record(), record_);
  stop_ = true;
  hand_over_ = false;
  watch_program();
  return false;
}

Jobs::~Jobs() {
  stop_all();
  const std::lock_guard lock(mutex_);
  jobs_.clear();
}

std::string Jobs::folder_of(Id session) const {
  return settings_.folder() + "/" + to_string(session);
}

std::vector<std::shared_ptr<Job>> Jobs::all(std::optional<Id> session) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Job>> out;
  for (const auto& [whose, jobs] : jobs_)
    if (!session || whose == *session)
      for (const auto& [id, job] : jobs) out.push_back(job);
  return out;
}

bool Jobs::full(Id session) const {
  return std::ranges::count_if(list(session), &Record::runs) >= static_cast<std::ptrdiff_t>(most);
}

// The name of a record is taken before there is one: another process may work in the session.
JobFiles Jobs::new_files(Id session, int& id) {
  const std::string folder = folder_of(session);
  std::error_code ignored;
  for (const std::string& each : {settings_.folder(), folder})
    if (fs::create_directories(each, ignored)) fs::permissions(each, fs::perms::owner_all, ignored);
  const std::vector<int> taken = numbers_in(folder);
  for (id = taken.empty() ? 1 : taken.back() + 1;; ++id) {
    JobFiles files{folder + "/" + std::to_string(id)};
    if (const Fd made(open(files.record().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        made)
      return files;
    if (errno != EEXIST)
      throw Error("no job can be started: " + files.record() +
                  " cannot be written: " + std::strerror(errno));
  }
}

Job::Ended Jobs::reporter(Id session) const {
  return [this, session](const Record& record, const OutputLog& log) {
    ended_(session, record, report_on(record, log));
  };
}

Record Jobs::add(Start start, std::string_view printed_before) {
  Record record{.command = settings_.clean(std::move(start.command)), .started = start.started};
  start.parts.files = new_files(start.session, record.id);
  const int id = record.id;
  const std::lock_guard lock(mutex_);  // it is in the list before it can report its end
  const auto job = std::make_shared<Job>(std::move(record), std::move(start.parts), printed_before,
                                         reporter(start.session));
  jobs_[start.session][id] = job;
  return job->record();
}

std::vector<Record> Jobs::list(Id session) const {
  std::vector<Record> out;
  for (const std::shared_ptr<Job>& job : all(session)) out.push_back(job->record());
  return out;
}

std::shared_ptr<Job> Jobs::find(Id session, int id) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(session);
  if (found == jobs_.end()) return nullptr;
  const auto job = found->second.find(id);
  return job == found->second.end() ? nullptr : job->second;
}

bool Jobs::any_runs() const {
  return std::ranges::any_of(all(), [](const auto& job) { return job->record().runs(); });
}

std::size_t Jobs::running() const {
  return static_cast<std::size_t>(std::ranges::count_if(all(), ends_with_us));
}

// All at once: each may take its time to end.
void Jobs::stop_all() {
  const std::vector<std::shared_ptr<Job>> jobs = all();
  for (const std::shared_ptr<Job>& job : jobs)
    if (ends_with_us(job)) job->ask_to_stop();
  for (const std::shared_ptr<Job>& job : jobs)
    if (ends_with_us(job)) job->wait_until_ended(std::chrono::seconds(30));
}

std::size_t Jobs::keep_all() {
  std::size_t lost = 0;
  for (const std::shared_ptr<Job>& job : all())
    if (ends_with_us(job) && !job->keep()) ++lost;
  return lost;
}

Jobs::Left Jobs::take_up(Id session, const std::function<bool(int id)>& reported) {
  Left left;
  const std::string folder = folder_of(session);
  const std::vector<int> numbers = numbers_in(folder);
  for (const int id : numbers) {
    if (find(session, id)) continue;  // it is ours already
    const JobFiles files{folder + "/" + std::to_string(id)};
    std::optional<Record> record = load_record(files.record());
    if (!record) continue;
    const bool lives = record->runs() && watcher_lives(*record);
    if (lives && !record->kept) continue;  // another skein works in this session
    if (lives) {
      const auto job =
          std::make_shared<Job>(*record, Job::Parts{.files = files}, "", reporter(session));
      left.running.push_back(job->record());
      const std::lock_guard lock(mutex_);
      jobs_[session][id] = job;
      continue;
    }
    if (record->runs()) {
      record->state = record->kept ? Record::State::ended : Record::State::lost;
      record->ended = now_ms();
      save_record(files.record(), *record);
    }
    std::error_code ignored;
    if (reported(id)) {
      fs::remove(files.log(), ignored);
      // The last number stays taken.
      if (id != numbers.back()) fs::remove(files.record(), ignored);
      continue;
    }
    left.ended.push_back(*record);
    left.reports.push_back(fs::exists(files.log(), ignored)
                               ? report_on(*record, OutputLog(files.log(), OutputLog::Use::read))
                               : report(*record, ""));
  }
  return left;
}

}  // namespace skein::jobs
