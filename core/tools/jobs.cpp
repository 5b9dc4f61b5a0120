// job_output and job_stop: read the output of a background job, and stop it.

#include "core/jobs/jobs.h"
#include "core/jobs/record.h"
#include "core/text/base.h"
#include "core/text/text.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"

namespace skein::tools {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = 30'000;
constexpr std::size_t longest_wait = 60;  // seconds
// How often a wait checks whether the user has stopped it.
constexpr std::chrono::milliseconds stop_glance{20};

// Null if there is none; `why_not` says why.
std::shared_ptr<jobs::Job> job_in(const SharedJobs& jobs, Arguments& arguments,
                                  const ToolPorts& ports, std::string& why_not) {
  const std::size_t number = arguments.number("job", 0);
  why_not = arguments.complaint();
  if (!why_not.empty()) return nullptr;
  auto job = ports.session
                 ? jobs->find(*ports.session,
                              static_cast<int>(std::min<std::size_t>(number, 1'000'000'000)))
                 : nullptr;
  if (job) return job;
  std::vector<std::string> known;
  if (ports.session)
    for (const jobs::Record& each : jobs->list(*ports.session))
      known.push_back(std::to_string(each.id));
  why_not =
      "there is no job " + std::to_string(number) +
      (known.empty() ? "; no job was started since skein started" : "; there is " + listed(known));
  return nullptr;
}

void wait_for(const jobs::Job& job, std::size_t seconds, const ToolPorts& ports) {
  const auto due = Clock::now() + std::chrono::seconds(std::min(seconds, longest_wait));
  while (Clock::now() < due && !ports.stopped())
    if (job.wait_until_ended(stop_glance)) return;
}

std::string heading(const jobs::Record& record) {
  return "[job " + std::to_string(record.id) + " " + state_text(record, now_ms());
}

// If the job has ended, the model sees it here and is not notified again.
ToolOutcome reported(const jobs::Jobs& jobs, const ToolPorts& ports, const jobs::Record& record,
                     std::string text) {
  if (!record.taken_back.empty()) text += "\n[" + record.taken_back + "]";
  ToolOutcome outcome = tool_text(std::move(text));
  outcome.meta = meta_of(record);
  if (!record.runs()) jobs.seen(*ports.session, record.id);
  return outcome;
}

ToolOutcome job_output(const SharedJobs& jobs, const JsonText& input, const ToolPorts& ports) {
  Arguments arguments(input);
  std::string why_not;
  const auto since = arguments.number("since", 0), tail = arguments.number("tail", 0),
             wait = arguments.number("wait", 0);
  const std::shared_ptr<jobs::Job> job = job_in(jobs, arguments, ports, why_not);
  if (!job) return tool_failure(why_not);
  wait_for(*job, wait, ports);
  // The state is read before the output: output that arrives in between is included.
  const jobs::Record record = job->record();
  const jobs::OutputLog::Piece piece =
      tail > 0 ? job->log().tail(tail, most_output) : job->log().read(since, most_output);
  std::string text = heading(record) + "; next byte " + std::to_string(piece.next);
  if (tail == 0 && piece.from > since)
    text += "; bytes " + with_separators(since) + " to " + with_separators(piece.from) +
            " are no longer stored";
  if (piece.next < record.printed)
    text += ", " + with_separators(static_cast<std::size_t>(record.printed - piece.next)) +
            " bytes follow";
  text += "]\n" + (piece.text.empty() ? "[nothing new was printed]" : piece.text);
  return reported(*jobs, ports, record, std::move(text));
}

ToolOutcome job_stop(const SharedJobs& jobs, const JsonText& input, const ToolPorts& ports) {
  Arguments arguments(input);
  std::string why_not;
  const std::shared_ptr<jobs::Job> job = job_in(jobs, arguments, ports, why_not);
  if (!job) return tool_failure(why_not);
  if (job->record().runs()) job->ask_to_stop();
  wait_for(*job, longest_wait, ports);
  const jobs::Record record = job->record();
  return reported(*jobs, ports, record, heading(record) + "]");
}

Tool job_tool(std::string name, std::string description, JsonText schema, SharedJobs jobs,
              ToolOutcome (*run)(const SharedJobs&, const JsonText&, const ToolPorts&)) {
  return {.name = name,
          .description = std::move(description),
          .schema = std::move(schema),
          .effect = Effect::reads,  // what it reaches was allowed when it was started
          .title =
              [name](const JsonText& input) {
                const std::size_t job = Arguments(input).number("job", 0);
                return name + (job == 0 ? "" : " " + std::to_string(job));
              },
          .run = [jobs = std::move(jobs), run](
                     const JsonText& input,
                     const ToolPorts& ports) { return run(jobs, input, ports); }};
}

}  // namespace

Tool job_output_tool(SharedJobs jobs) {
  Tool tool = job_tool(
      "job_output",
      "Show the output and the state of a background job. Waiting here costs nothing; you are "
      "notified anyway when a job ends.",
      schema_of("job",
                {{"job", "integer", {}, 1},
                 {"since", "integer",
                  "the byte to begin at, given as \"next byte\" in the last result", 0},
                 {"tail", "integer", "return only this many last lines", 1},
                 {"wait", "integer", "how many seconds to wait for its end, at most 60", 0}}),
      std::move(jobs), job_output);
  tool.concurrent = true;
  return tool;
}

Tool job_stop_tool(SharedJobs jobs) {
  Tool tool = job_tool("job_stop", "Stop a job and everything it has started.",
                       schema_of("job", {{"job", "integer", {}, 1}}), std::move(jobs), job_stop);
  tool.does = "stops";
  return tool;
}

}  // namespace skein::tools
