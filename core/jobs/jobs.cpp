#include "core/jobs/jobs.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/text/fd.h"

namespace skein::jobs {

namespace fs = std::filesystem;

namespace {

// What the model is told of the end of a job.
constexpr std::size_t report_lines = 20, report_bytes = 4'000;

// The numbers of the jobs that are written down in a folder.
std::vector<int> numbers_in(const std::string& folder) {
  std::vector<int> out;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    int id = 0;
    const auto [rest, failure] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (failure == std::errc{} && id > 0 && std::string_view(rest) == ".json") out.push_back(id);
  }
  std::ranges::sort(out);
  return out;
}

std::string report_on(const Record& record, const OutputLog& log) {
  return report(record, log.tail(report_lines, report_bytes).text);
}

}  // namespace

Jobs::~Jobs() {
  stop_all();
  const std::lock_guard lock(mutex_);
  jobs_.clear();
}

std::string Jobs::folder_of(Id session) const {
  return settings_.folder() + "/" + to_string(session);
}

std::vector<std::shared_ptr<Job>> Jobs::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Job>> out;
  for (const auto& [session, jobs] : jobs_)
    for (const auto& [id, job] : jobs) out.push_back(job);
  return out;
}

bool Jobs::full(Id session) const {
  return std::ranges::count_if(list(session), &Record::runs) >= static_cast<std::ptrdiff_t>(most);
}

// The name of a record is taken before there is one: another process may work in the session.
Job::Place Jobs::new_place(Id session, int& id) {
  const std::string folder = folder_of(session);
  std::error_code ignored;
  for (const std::string& each : {settings_.folder(), folder})
    if (fs::create_directories(each, ignored)) fs::permissions(each, fs::perms::owner_all, ignored);
  const std::vector<int> taken = numbers_in(folder);
  for (id = taken.empty() ? 1 : taken.back() + 1;; ++id) {
    Job::Place place{folder + "/" + std::to_string(id)};
    if (const Fd made(open(place.record().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        made)
      return place;
    if (errno != EEXIST)
      throw Error("no job can be started: " + place.record() +
                  " cannot be written: " + std::strerror(errno));
  }
}

void Jobs::tell(Id session, const Job& job) const {
  const Record record = job.record();
  ended_(session, record, report_on(record, job.log()));
}

Record Jobs::add(Start start, std::string_view printed_before) {
  Record record{.command = settings_.clean(std::move(start.command)), .started = start.started};
  start.parts.place = new_place(start.session, record.id);
  const int id = record.id;
  const auto job = std::make_shared<Job>(
      std::move(record), std::move(start.parts), printed_before,
      [this, session = start.session](const Job& ended) { tell(session, ended); });
  const std::lock_guard lock(mutex_);
  jobs_[start.session][id] = job;
  return job->record();
}

std::vector<Record> Jobs::list(Id session) const {
  std::vector<std::shared_ptr<Job>> of_session;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = jobs_.find(session); found != jobs_.end())
      for (const auto& [id, job] : found->second) of_session.push_back(job);
  }
  std::vector<Record> out;
  for (const std::shared_ptr<Job>& job : of_session) out.push_back(job->record());
  return out;
}

std::shared_ptr<Job> Jobs::find(Id session, int id) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(session);
  if (found == jobs_.end()) return nullptr;
  const auto job = found->second.find(id);
  return job == found->second.end() ? nullptr : job->second;
}

std::size_t Jobs::running() const {
  return static_cast<std::size_t>(std::ranges::count_if(all(), [](const auto& job) {
    const Record record = job->record();
    return record.runs() && !record.kept;
  }));
}

// All at once: each may take its time to end.
void Jobs::stop_all() {
  const std::vector<std::shared_ptr<Job>> jobs = all();
  const auto ours = [](const Job& job) { return job.record().runs() && !job.record().kept; };
  for (const std::shared_ptr<Job>& job : jobs)
    if (ours(*job)) job->ask_to_stop();
  for (const std::shared_ptr<Job>& job : jobs)
    if (ours(*job)) job->wait_until_ended(std::chrono::seconds(30));
}

std::size_t Jobs::keep_all() {
  std::size_t lost = 0;
  for (const std::shared_ptr<Job>& job : all())
    if (const Record record = job->record(); record.runs() && !record.kept && !job->keep()) ++lost;
  return lost;
}

Jobs::Left Jobs::take_up(Id session, const std::function<bool(int id)>& told) {
  Left left;
  const std::string folder = folder_of(session);
  const std::vector<int> numbers = numbers_in(folder);
  for (const int id : numbers) {
    if (find(session, id)) continue;  // it is ours already
    const Job::Place place{folder + "/" + std::to_string(id)};
    std::optional<Record> record = load_record(place.record());
    if (!record) continue;
    const bool lives = record->runs() && keeper_lives(*record);
    if (lives && !record->kept) continue;  // another skein works in this session
    if (lives) {
      const auto job =
          std::make_shared<Job>(*record, Job::Parts{.place = place}, "",
                                [this, session](const Job& ended) { tell(session, ended); });
      left.running.push_back(job->record());
      const std::lock_guard lock(mutex_);
      jobs_[session][id] = job;
      continue;
    }
    if (record->runs()) {
      record->state = record->kept ? Record::State::ended : Record::State::lost;
      record->ended = now_ms();
      save_record(place.record(), *record);
    }
    std::error_code ignored;
    if (told(id)) {
      fs::remove(place.log(), ignored);
      // The last number stays taken.
      if (id != numbers.back()) fs::remove(place.record(), ignored);
      continue;
    }
    left.ended.push_back(*record);
    left.reports.push_back(fs::exists(place.log(), ignored)
                               ? report_on(*record, OutputLog(place.log(), OutputLog::Use::read))
                               : report(*record, ""));
  }
  return left;
}

}  // namespace skein::jobs
