#include "app/background_jobs.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::app {

namespace {

constexpr std::size_t shown_lines = 100, shown_bytes = 64 * 1024;

std::string command_line(const jobs::Record& job) {
  return job.command.substr(0, job.command.find('\n'));
}

std::string origin_of(int job) { return "job:" + std::to_string(job); }

std::shared_ptr<jobs::Job> job_named(const jobs::Jobs& jobs, Id session, int number) {
  auto job = jobs.find(session, number);
  if (!job) throw Error("there is no job " + std::to_string(number) + "; /jobs lists them");
  return job;
}

}  // namespace

// Without a place that lasts nothing could be found again, so nothing is kept running either.
BackgroundJobs::BackgroundJobs(Parts parts)
    : parts_(std::move(parts)),
      jobs_(std::make_shared<jobs::Jobs>(jobs::Jobs::Settings{
          .folder = [this] { return parts_.folder.empty() ? temporary_.path() : parts_.folder; },
          .clean = parts_.clean})) {
  jobs_->on_end([this](Id session, const jobs::Record& job, const std::string& report) {
    note_end(session, job, report);
  });
  jobs_->on_seen([this](Id session, int job) { parts_.news.seen(session, origin_of(job)); });
}

void BackgroundJobs::note_end(Id session, const jobs::Record& job, const std::string& report) {
  model::Entry entry = agent::news(report, origin_of(job.id));
  Json meta = parse_json(entry.meta).value_or(Json::object());
  meta.update(parse_json(jobs::meta_of(job)).value_or(Json::object()));
  entry.meta = dump(meta);
  parts_.news.seen(session, origin_of(job.id));  // a session that is opened again tells it again
  parts_.news.put(session, {.about = origin_of(job.id),
                            .entry = std::move(entry),
                            .notice = "job " + std::to_string(job.id) + ": " +
                                      state_text(job, now_ms()) + " · " + command_line(job),
                            .wakes = parts_.wake});
}

std::vector<std::string> BackgroundJobs::take_up(const agent::Conversation& conversation) {
  const Id session = conversation.session();
  const jobs::Jobs::Left left = jobs_->take_up(session, [&](int id) {
    const auto tells = [id](const model::Entry& entry) { return jobs::tells_end(entry.meta, id); };
    return std::ranges::any_of(conversation.path_until(tells), tells);
  });
  for (std::size_t i = 0; i < left.ended.size(); ++i)
    note_end(session, left.ended[i], left.reports[i]);
  std::vector<std::string> out;
  for (const jobs::Record& job : left.running)
    out.push_back("job " + std::to_string(job.id) +
                  " was kept and still runs: " + command_line(job) +
                  " (/jobs shows it, /jobs stop " + std::to_string(job.id) + " ends it)");
  return out;
}

std::string BackgroundJobs::leave(bool keep) {
  const std::size_t running = jobs_->running();
  if (running == 0) return {};
  if (!keep) {
    jobs_->stop_all();
    return counted(running, "job was", "jobs were") + " stopped";
  }
  const std::size_t lost = jobs_->keep_all();
  std::string out = counted(running - lost, "job goes", "jobs go") +
                    " on without skein; `skein -c` finds " + (running == 1 ? "it" : "them") +
                    " again";
  if (lost > 0)
    out += "; " + counted(lost, "could not be kept and was", "could not be kept and were") +
           " stopped";
  return out;
}

void BackgroundJobs::offer(session::Services& services) {
  services.jobs = [this](Id session) {
    std::vector<session::JobLine> out;
    for (const jobs::Record& job : jobs_->list(session))
      out.push_back({std::to_string(job.id), parts_.clean(command_line(job)),
                     state_text(job, now_ms()) + (job.kept ? " (kept)" : ""),
                     parts_.clean(job.last_line), job.runs()});
    return out;
  };
  services.job_piece = [this](Id session, int number, std::optional<std::uint64_t> since) {
    const auto job = job_named(*jobs_, session, number);
    const bool runs = job->record().runs();  // before it is read: nothing comes after its end
    const jobs::OutputLog::Piece piece =
        since ? job->log().read(*since, shown_bytes) : job->log().tail(shown_lines, shown_bytes);
    return session::JobPiece{parts_.clean(piece.text), piece.next,
                             runs || piece.next < job->log().printed()};
  };
  services.stop_job = [this](Id session, int number) {
    const auto job = job_named(*jobs_, session, number);
    if (job->record().runs()) job->ask_to_stop();
    const bool ended = job->wait_until_ended(std::chrono::seconds(10));
    return "job " + std::to_string(number) +
           (ended ? ": " + state_text(job->record(), now_ms())
                  : " is being stopped; /jobs shows when it has ended");
  };
  services.running_jobs = [this] { return jobs_->running(); };
  services.can_keep_jobs = !parts_.folder.empty();
}

}  // namespace skein::app
