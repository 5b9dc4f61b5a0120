// /jobs: the commands that run in the background.
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/base.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/layout/table.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

constexpr std::string_view job_actions[] = {"show", "stop"};

int job_number(std::string_view text) {
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size() || number < 1)
    throw Error("/jobs takes `show N`, `stop N` or `stop all`");
  return number;
}

void list_jobs(Session& session) {
  const std::vector<session::JobLine> jobs = session.services().jobs(session.id());
  if (jobs.empty())
    return session.screen().print(
        "No job was started. The model starts one with `background`, Ctrl+B makes one of the "
        "command that runs, and so does the end of its time.\n");
  layout::Table table{
      .columns = {{"job", true}, {"command"}, {"state"}, {"last line", false, true}}};
  for (const session::JobLine& each : jobs)
    table.rows.push_back({each.number, each.command, each.state, each.last_line});
  session.screen().show(table);
}

void stop_jobs(Session& session, std::string_view which) {
  std::vector<int> numbers;
  if (which != "all") numbers.push_back(job_number(which));
  if (which == "all")
    for (const session::JobLine& each : session.services().jobs(session.id()))
      if (each.runs) numbers.push_back(job_number(each.number));
  if (numbers.empty()) session.screen().print("no job runs\n");
  for (const int number : numbers)
    session.screen().print_untrusted(session.services().stop_job(session.id(), number) + "\n");
}

// Until it ends or a key is pressed, which is not meant for the prompt.
void follow_output(Session& session, int number, std::uint64_t next) {
  constexpr std::chrono::milliseconds glance{200};
  terminal::Keyboard& keyboard = *session.keyboard();
  const std::atomic<bool>& stop = session.begin_stoppable();
  session.screen().note("it still runs; any key ends this, not the job");
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  for (bool runs = true; runs;) {
    const session::JobPiece piece = session.services().job_piece(session.id(), number, next);
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
  for (const session::JobLine& each : session.services().jobs(session.id()))
    if (each.number == std::to_string(number))
      session.screen().print_untrusted("job " + each.number + ": " + each.state + "\n");
}

void show_output(Session& session, int number) {
  const session::JobPiece piece = session.services().job_piece(session.id(), number, std::nullopt);
  session.screen().print_untrusted(piece.text.empty() ? "it has printed nothing\n" : piece.text);
  session.screen().flush();
  // Keys typed ahead are meant for the prompt.
  if (piece.runs && session.keyboard() != nullptr && !session.keyboard()->typed_ahead())
    return follow_output(session, number, piece.next);
  session.screen().start_line();
}

}  // namespace

void show_jobs(Session& session, std::string_view what) {
  if (trimmed(what).empty()) return list_jobs(session);
  const auto [action, which] = first_word(trimmed(what));
  if (action == "stop") return stop_jobs(session, trimmed(which));
  show_output(session, job_number(action == "show" ? trimmed(which) : action));
}

std::vector<std::string> job_words(Session& session, std::string_view start) {
  std::vector<std::string> out;
  for (const std::string_view action : job_actions)
    for (const session::JobLine& each : session.services().jobs(session.id()))
      if (std::string word = std::string(action) + " " + each.number; word.starts_with(start))
        out.push_back(std::move(word));
  return out;
}

}  // namespace skein::commands
