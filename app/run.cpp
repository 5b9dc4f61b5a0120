// Starts skein: logs, the verbs, and what it asks at the terminal before it works: whether to trust
// the project, and whether to restore files that interrupted commands changed.

#include <unistd.h>

#include "app/application.h"
#include "app/greeting.h"
#include "app/invocation/signals.h"
#include "app/setup/home.h"
#include "app/setup/load_config.h"
#include "app/setup/project_review.h"
#include "core/sandbox/interrupted.h"
#include "core/text/log.h"
#include "core/text/text.h"
#include "core/tools/diff.h"
#include "repl/layout/sanitize.h"
#include "repl/prompt/line_editor.h"

namespace skein::app {

using sandbox::Guard, sandbox::InterruptedCommand;

namespace {

// What is typed behind a question at the terminal; nullopt: there was no answer.
std::optional<std::string> typed(const std::string& question) {
  edit::Draft answer;
  const auto editor =
      prompt::make_plain_editor(STDIN_FILENO, true, [] { return stop_asked().load(); });
  if (editor->read(question, answer) != prompt::LineEditor::ReadResult::line) return std::nullopt;
  return lower(trimmed(answer.text));
}

void say_on_stdout(const std::string& untrusted) {
  std::fputs(layout::sanitized(untrusted).c_str(), stdout);
  std::fflush(stdout);
}

constexpr std::size_t most_diff_bytes = 2'000;  // bytes of the difference of one file
constexpr std::size_t most_files = 20;

std::string_view name(Guard::Change::Kind kind) {
  using Kind = Guard::Change::Kind;
  return kind == Kind::added ? "new" : kind == Kind::removed ? "removed" : "changed";
}

std::string shown(const std::vector<Guard::Change>& changes) {
  std::string out;
  for (const Guard::Change& each : changes) {
    if (&each == changes.data() + most_files)
      return out + "  and " + std::to_string(changes.size() - most_files) + " more\n";
    out += "  " + each.path + " (" + std::string(name(each.kind)) + ")\n";
    out += tools::unified_diff(each.before, each.now, each.path, most_diff_bytes);
  }
  return out;
}

// Reports what the supervisor of a killed command has undone, or shows what is left if that was
// killed too. `ask`: whether a user can decide about it; else it stays, and is shown again at the
// next start.
void settle(InterruptedCommand& command, bool ask) {
  const std::string happened =
      "skein was killed while a command was running in " + listed(command.areas);
  if (!command.report.empty()) {
    tell_user(happened + "; " + command.report);
    return command.forget();
  }
  const std::string files =
      "skein: " + happened +
      ", and so was its supervisor. These files, which other programs run automatically, have "
      "changed since it started:\n" +
      shown(command.changes);
  std::fputs(layout::sanitized(files).c_str(), stderr);
  if (!ask)
    return tell_user(
        "nothing was restored, because you may have changed them; start skein at a terminal to "
        "decide");
  const std::optional<std::string> answer =
      typed("Restore them? The current files move to quarantine. [y/N] › ");
  if (!answer) return;
  if (*answer == "y" || *answer == "yes") tell_user(command.undo());
  command.forget();
}

// Shows what the project brings that the user has not decided on yet, below the title, and asks,
// once, whether it may count. To be called only at a terminal with a user. False: there is nothing.
bool offer_trust(const Invocation& invocation, const project::Places& places) {
  ProjectReview review(invocation, places, ProjectReview::Reach::at_start);
  if (review.empty()) return false;
  screen::Screen screen(screen::screen_parts(STDOUT_FILENO,
                                             invocation.color.empty() ? "auto" : invocation.color,
                                             invocation.screen_reader));
  screen.print(title(places.workspace, screen) + "\n");
  screen.print("This project contains files that skein has not loaded yet:\n\n");
  for (const ProjectReview::Line& each : review.summary())
    screen.print(layout::painted(layout::sanitized(each.text),
                                 each.runs ? layout::style::bad : layout::style::plain,
                                 screen.look()) +
                 "\n");
  screen.print("\n");
  screen.flush();
  for (;;) {
    const std::optional<std::string> answer = typed(ProjectReview::question);
    if (answer && answer->starts_with('v')) {
      say_on_stdout(review.contents());
      continue;
    }
    if (answer) review.decide(answer->starts_with('y') ? Trust::given : Trust::refused);
    say_on_stdout("\n");
    return true;
  }
}

}  // namespace

void settle_interrupted_commands(bool ask) {
  for (InterruptedCommand& command : sandbox::interrupted_commands(command_records()))
    settle(command, ask);
}

int run(const Invocation& given) {
  Invocation invocation = given;
  invocation.home = chosen_home(given);
  start_log(state_folder(), invocation.debug);
  if (invocation.debug && !log_file().empty()) tell_user("the log is in " + log_file());
  if (invocation.subcommand != nullptr) {
    if (invocation.subcommand->config == Subcommand::Config::checked)
      configured_catalog(invocation);  // throws Error if it is not understood
    const auto& run = invocation.subcommand->run;
    if (const auto* verb = std::get_if<Subcommand::StatusVerb*>(&run)) return (*verb)(invocation);
    std::get<Subcommand::Verb*>(run)(invocation);
    return 0;
  }
  catch_signals();
  sandbox::hide_process_memory();
  const project::Places places = places_around(workspace_folder(invocation));
  const bool can_ask = !invocation.print && attended();
  settle_interrupted_commands(can_ask);
  if (invocation.is_driven()) return driven_mode(invocation, places);
  const bool titled = can_ask && offer_trust(invocation, places);
  Application application(invocation, places);
  return invocation.print ? print_mode(application, invocation)
                          : repl_mode(application, invocation, titled);
}

}  // namespace skein::app
