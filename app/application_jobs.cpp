// The jobs of an invocation: where they are written down, who hears of them, what the prompt shows.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/application.h"
#include "app/home.h"
#include "core/jobs/jobs.h"
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
std::shared_ptr<jobs::Jobs> Application::make_jobs() {
  const std::string state = state_folder();
  jobs_last_ = !state.empty() && !invocation_.no_session;
  auto out = std::make_shared<jobs::Jobs>(jobs::Jobs::Settings{
      .folder = [this, state] { return jobs_last_ ? state + "/jobs" : jobs_temporary_.path(); },
      .clean = [this](std::string text) { return clean(std::move(text)); }});
  out->on_end([this](Id session, const jobs::Record& job, const std::string& report) {
    note_end_of_job(session, job, report);
  });
  out->on_seen([this](Id session, int job) { news_.seen(session, origin_of(job)); });
  return out;
}

void Application::note_end_of_job(Id session, const jobs::Record& job, const std::string& report) {
  model::Entry entry = agent::news(report, origin_of(job.id));
  Json meta = parse_json(entry.meta).value_or(Json::object());
  meta.update(parse_json(jobs::meta_of(job)).value_or(Json::object()));
  entry.meta = dump(meta);
  news_.seen(session, origin_of(job.id));  // a session that is opened again tells it again
  news_.put(session, {.about = origin_of(job.id),
                      .entry = std::move(entry),
                      .notice = "job " + std::to_string(job.id) + ": " + state_text(job, now_ms()) +
                                " · " + command_line(job),
                      .wakes = config_.jobs_wake});
}

bool Application::works_beside() const {
  return jobs_->running() > 0 || (crew_ && crew_->working() > 0);
}

std::vector<std::string> Application::take_up_work(const agent::Conversation& conversation) {
  const Id session = conversation.session();
  news_.enter(session);
  const jobs::Jobs::Left left = jobs_->take_up(session, [&](int id) {
    const auto tells = [id](const model::Entry& entry) { return jobs::tells_end(entry.meta, id); };
    return std::ranges::any_of(conversation.path_until(tells), tells);
  });
  for (std::size_t i = 0; i < left.ended.size(); ++i)
    note_end_of_job(session, left.ended[i], left.reports[i]);
  if (crew_) crew_->take_up(conversation);
  const std::string ended = news_.take_notices().text;
  std::vector<std::string> out;
  for (const std::string_view line : split(ended, '\n')) out.emplace_back(line);
  for (const jobs::Record& job : left.running)
    out.push_back("job " + std::to_string(job.id) +
                  " was kept and still runs: " + command_line(job) +
                  " (/jobs shows it, /jobs stop " + std::to_string(job.id) + " ends it)");
  return out;
}

std::string Application::leave_work(bool keep) {
  constexpr std::chrono::seconds patience{5};
  const std::size_t agents = crew_ ? crew_->stop_all(patience) : 0;
  const std::string stopped =
      agents > 0 ? counted(agents, "agent was", "agents were") + " stopped" : "";
  const std::size_t running = jobs_->running();
  if (running == 0) return stopped;
  const std::string also = stopped.empty() ? "" : stopped + "; ";
  if (!keep) {
    jobs_->stop_all();
    return also + counted(running, "job was", "jobs were") + " stopped";
  }
  const std::size_t lost = jobs_->keep_all();
  std::string out = also + counted(running - lost, "job goes", "jobs go") +
                    " on without skein; `skein -c` finds " + (running == 1 ? "it" : "them") +
                    " again";
  if (lost > 0)
    out += "; " + counted(lost, "could not be kept and was", "could not be kept and were") +
           " stopped";
  return out;
}

void Application::take_services_of_jobs(session::Services& services) {
  services.jobs = [this](Id session) {
    std::vector<session::JobLine> out;
    for (const jobs::Record& job : jobs_->list(session))
      out.push_back({std::to_string(job.id), clean(command_line(job)),
                     state_text(job, now_ms()) + (job.kept ? " (kept)" : ""), clean(job.last_line),
                     job.runs()});
    return out;
  };
  services.job_piece = [this](Id session, int number, std::optional<std::uint64_t> since) {
    const auto job = job_named(*jobs_, session, number);
    const bool runs = job->record().runs();  // before it is read: nothing comes after its end
    const jobs::OutputLog::Piece piece =
        since ? job->log().read(*since, shown_bytes) : job->log().tail(shown_lines, shown_bytes);
    return session::JobPiece{clean(piece.text), piece.next,
                             runs || piece.next < job->log().printed()};
  };
  services.stop_job = [this](Id session, int number) {
    const auto job = job_named(*jobs_, session, number);
    if (job->record().runs()) job->ask_to_stop();
    job->wait_until_ended(std::chrono::seconds(10));
    return "job " + std::to_string(number) + ": " + state_text(job->record(), now_ms());
  };
  services.running_jobs = [this] { return jobs_->running(); };
  services.can_keep_jobs = jobs_last_;
  services.leave_work = [this](bool keep) { return leave_work(keep); };
  services.take_up_work = [this](const agent::Conversation& conversation) {
    return take_up_work(conversation);
  };
}

}  // namespace skein::app
