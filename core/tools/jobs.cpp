// job_output and job_stop: what becomes of a command that runs in the background.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/jobs/jobs.h"
#include "core/jobs/record.h"
#include "core/text/amounts.h"
#include "core/text/base.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"

namespace skein::tools {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = 30'000;
constexpr std::size_t longest_wait = 60;  // seconds
// How often a wait looks whether the user stops it.
constexpr std::chrono::milliseconds stop_glance{20};

constexpr std::string_view output_schema = R"({
  "type": "object",
  "properties": {
    "job": {"type": "integer", "minimum": 1},
    "since": {"type": "integer", "minimum": 0, "description": "the byte to begin at; the last answer tells the next one"},
    "tail": {"type": "integer", "minimum": 1, "description": "only the last lines, so many"},
    "wait": {"type": "integer", "minimum": 0, "description": "how many seconds to wait for its end, at most 60"}
  },
  "required": ["job"],
  "additionalProperties": false
})";
constexpr std::string_view stop_schema = R"({
  "type": "object",
  "properties": {
    "job": {"type": "integer", "minimum": 1}
  },
  "required": ["job"],
  "additionalProperties": false
})";

std::string title_of(std::string_view verb, const JsonText& input) {
  const std::size_t job = Arguments(input).number("job", 0);
  return std::string(verb) + (job == 0 ? "" : " " + std::to_string(job));
}

// Null, with the sentence that says why.
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
  std::string known;
  if (ports.session)
    for (const jobs::Record& each : jobs->list(*ports.session))
      known += (known.empty() ? "" : ", ") + std::to_string(each.id);
  why_not = "there is no job " + std::to_string(number) +
            (known.empty() ? "; none was started since skein began" : "; there is " + known);
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

// Told of its end here, the model need not be told again.
ToolOutcome told(const jobs::Jobs& jobs, const ToolPorts& ports, const jobs::Record& record,
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
  // First how it is, then what it printed: what comes in between is there, not missing.
  const jobs::Record record = job->record();
  const jobs::OutputLog::Piece piece =
      tail > 0 ? job->log().tail(tail, most_output) : job->log().read(since, most_output);
  std::string text = heading(record) + "; next byte " + std::to_string(piece.next);
  if (tail == 0 && piece.from > since)
    text += "; bytes " + with_separators(since) + " to " + with_separators(piece.from) +
            " are no longer kept";
  if (piece.next < record.printed)
    text += ", " + with_separators(static_cast<std::size_t>(record.printed - piece.next)) +
            " bytes follow";
  text += "]\n" + (piece.text.empty() ? "[nothing new was printed]" : piece.text);
  return told(*jobs, ports, record, std::move(text));
}

ToolOutcome job_stop(const SharedJobs& jobs, const JsonText& input, const ToolPorts& ports) {
  Arguments arguments(input);
  std::string why_not;
  const std::shared_ptr<jobs::Job> job = job_in(jobs, arguments, ports, why_not);
  if (!job) return tool_failure(why_not);
  if (job->record().runs()) job->ask_to_stop();
  wait_for(*job, longest_wait, ports);
  const jobs::Record record = job->record();
  return told(*jobs, ports, record, heading(record) + "]");
}

Tool job_tool(std::string_view name, std::string_view description, std::string_view schema,
              SharedJobs jobs,
              ToolOutcome (*run)(const SharedJobs&, const JsonText&, const ToolPorts&)) {
  return {
      .name = std::string(name),
      .description = std::string(description),
      .schema = std::string(schema),
      .effect = Effect::reads,  // what it reaches was allowed when it was started
      .title = [verb = std::string(name)](const JsonText& input) { return title_of(verb, input); },
      .run = [jobs = std::move(jobs), run](
                 const JsonText& input,
                 const ToolPorts& ports) { return run(jobs, input, ports); }};
}

}  // namespace

Tool job_output_tool(SharedJobs jobs) {
  Tool tool =
      job_tool("job_output",
               "What a job, a command in the background, has printed and how it is. Waiting "
               "here costs nothing; you are told anyway when a job ends.",
               output_schema, std::move(jobs), job_output);
  tool.concurrent = true;
  return tool;
}

Tool job_stop_tool(SharedJobs jobs) {
  Tool tool = job_tool("job_stop", "End a job with everything it has started.", stop_schema,
                       std::move(jobs), job_stop);
  tool.does = "stops";
  return tool;
}

}  // namespace skein::tools
