// /jobs: the commands that run in the background; /agents: the sub-agents of this session, and
// those that can be asked.

#include "core/text/base.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/layout/table.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

int job_number(std::string_view text) {
  const std::optional<std::size_t> number = number_in(text, std::numeric_limits<int>::max());
  if (!number) throw Error("usage: /jobs, /jobs show N, /jobs stop N or /jobs stop all");
  return static_cast<int>(*number);
}

std::vector<jobs::Record> records(Session& session) {
  const jobs::Jobs* const jobs = session.services().jobs;
  return jobs != nullptr ? jobs->list(session.id()) : std::vector<jobs::Record>{};
}

std::shared_ptr<jobs::Job> job_numbered(Session& session, int number) {
  const jobs::Jobs* const jobs = session.services().jobs;
  auto job = jobs != nullptr ? jobs->find(session.id(), number) : nullptr;
  if (!job) throw Error("there is no job " + std::to_string(number) + "; /jobs lists them");
  return job;
}

std::string state_of(const jobs::Record& job) { return state_text(job, now_ms()); }

void list_jobs(Session& session) {
  const std::vector<jobs::Record> jobs = records(session);
  if (jobs.empty())
    return session.screen().print(
        "There are no jobs. The model starts one with `background`. Ctrl+B or a timeout turns the "
        "running command into one.\n");
  layout::Table table{
      .columns = {{"job", true}, {"command"}, {"state"}, {"last line", false, true}}};
  const session::Models& models = *session.services().models;
  for (const jobs::Record& each : jobs)
    table.rows.push_back(
        {std::to_string(each.id), models.clean(each.command.substr(0, each.command.find('\n'))),
         state_of(each) + (each.kept ? " (kept)" : ""), models.clean(each.last_line)});
  session.screen().show(table);
}

void stop_jobs(Session& session, std::string_view which) {
  std::vector<int> numbers;
  if (which != "all") numbers.push_back(job_number(which));
  if (which == "all")
    for (const jobs::Record& each : records(session))
      if (each.runs()) numbers.push_back(each.id);
  if (numbers.empty()) session.screen().print("no job is running\n");
  for (const int number : numbers) {
    const auto job = job_numbered(session, number);
    if (job->record().runs()) job->ask_to_stop();
    const bool ended = job->wait_until_ended(std::chrono::seconds(10));
    session.screen().print_untrusted(
        "job " + std::to_string(number) +
        (ended ? ": " + state_of(job->record()) : " is stopping; /jobs shows when it has ended") +
        "\n");
  }
}

// A part of what a job has printed.
struct Piece {
  std::string text{};
  std::uint64_t next = 0;  // the byte behind it
  bool runs = false;       // more may come
};
// From that byte on; nullopt: the end of what it has printed so far.
Piece piece_of(Session& session, int number, std::optional<std::uint64_t> since) {
  constexpr std::size_t lines = 100, bytes = 64 * 1024;
  const auto job = job_numbered(session, number);
  const bool runs = job->record().runs();  // before it is read: nothing comes after its end
  const jobs::OutputLog::Piece piece =
      since ? job->log().read(*since, bytes) : job->log().tail(lines, bytes);
  return {session.services().models->clean(piece.text), piece.next,
          runs || piece.next < job->log().printed()};
}

// Until it ends or a key is pressed, which is not meant for the prompt.
void follow_output(Session& session, int number, std::uint64_t next) {
  constexpr std::chrono::milliseconds glance{200};
  terminal::Keyboard& keyboard = *session.keyboard();
  const std::atomic<bool>& stop = session.begin_stoppable();
  session.screen().note("still running; press any key to return (the job keeps running)");
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  for (bool runs = true; runs;) {
    const Piece piece = piece_of(session, number, next);
    next = piece.next;
    runs = piece.runs;
    session.screen().print_untrusted(piece.text);
    session.screen().flush();
    terminal::Key key;
    if (runs && keyboard.next(key, glance, [&] { return stop.load(); }) !=
                    terminal::Keyboard::KeyResult::pause)
      return session.screen().start_line();
  }
  session.screen().start_line();
  const jobs::Record job = job_numbered(session, number)->record();
  session.screen().print_untrusted("job " + std::to_string(number) + ": " + state_of(job) +
                                   (job.kept ? " (kept)" : "") + "\n");
}

void show_output(Session& session, int number) {
  const Piece piece = piece_of(session, number, std::nullopt);
  session.screen().print_untrusted(piece.text.empty() ? "no output\n" : piece.text);
  session.screen().flush();
  // Keys typed ahead are meant for the prompt.
  if (piece.runs && session.keyboard() != nullptr && !session.keyboard()->typed_ahead())
    return follow_output(session, number, piece.next);
  session.screen().start_line();
}

void stop_agent(Session& session, std::string_view id) {
  if (id.empty()) throw Error("/agents stop needs the session of an agent; /agents lists them");
  if (session.services().agents == nullptr || !session.services().agents->stop(id))
    throw Error("no agent is running in session " + std::string(id));
  session.screen().print("stopping it\n");
}

void show_known(Session& session) {
  layout::Table table{.columns = {{"agent"}, {"from"}, {"description"}}};
  const auto [agents, remarks] = session.services().program->agents();
  for (const subagents::Definition& each : agents)
    table.rows.push_back({each.name,
                          each.file.empty() ? "built in"
                          : each.of_project ? "project"
                                            : "you",
                          each.description});
  if (table.rows.empty())
    return session.screen().print("There are no sub-agents: max-agents is 0.\n");
  session.screen().show(table);
  for (const std::string& text : remarks) session.screen().print_untrusted(text + "\n");
}

}  // namespace

void show_jobs(Session& session, std::string_view what) {
  if (trimmed(what).empty()) return list_jobs(session);
  const auto [action, which] = first_word(trimmed(what));
  if (action == "stop") return stop_jobs(session, trimmed(which));
  show_output(session, job_number(action == "show" ? trimmed(which) : action));
}

Choices job_words(Session& session, std::string_view start) {
  std::vector<std::string> words;
  for (const char* const action : {"show ", "stop "})
    for (const jobs::Record& each : records(session))
      words.push_back(action + std::to_string(each.id));
  return names_from(words, start);
}

void show_agents(Session& session, std::string_view words) {
  const auto [verb, rest] = first_word(words);
  if (verb == "stop") return stop_agent(session, trimmed(rest));
  if (!verb.empty()) throw Error("usage: /agents or /agents stop ID");
  const std::vector<subagents::AgentLine> ours = session.services().agents_of(session.id());
  if (!ours.empty()) {
    layout::Table table{.columns = {{"session"}, {"state"}, {"task"}, {"so far", false, true}}};
    for (const auto& [id, title, state, progress] : ours) {
      const std::int64_t until = progress.ended_ms > 0 ? progress.ended_ms : now_ms();
      const std::int64_t ms = progress.began_ms > 0 ? until - progress.began_ms : 0;
      table.rows.push_back(
          {to_string(id), state,
           title + (progress.doing.empty() ? "" : " (" + progress.doing + ")"),
           subagents::amounts(progress) + (ms > 0 ? " · " + short_duration(ms) : "")});
    }
    session.screen().show(table);
    session.screen().print(
        "/switch main:sub:ID opens one, or follows it while it works; /agents stop ID stops "
        "one\n\n");
  }
  show_known(session);
}

Choices agent_words(Session& session, std::string_view start) {
  std::vector<std::string> words{"stop"};
  for (const subagents::AgentLine& each : session.services().agents_of(session.id()))
    if (each.state == "working") words.push_back("stop " + to_string(each.session));
  return names_from(words, start);
}

}  // namespace skein::commands
