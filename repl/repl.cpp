#include "repl/repl.h"

#include <chrono>

#include "core/text/text.h"
#include "repl/commands/completion.h"
#include "repl/commands/table.h"
#include "repl/shell_escape.h"

namespace skein::repl {

namespace {

constexpr std::chrono::seconds second_press{2};

}  // namespace

void Repl::run() {
  using Clock = std::chrono::steady_clock;
  using ReadResult = prompt::LineEditor::ReadResult;
  const Clock::time_point never = Clock::now() - 2 * second_press;
  Clock::time_point warned = never;
  while (!session_.leaving()) {
    if (const auto next = input_.take_queued()) {
      send(*next);
      continue;
    }
    session_.screen().flush();
    session_.marks().prompt();
    edit::Draft line;
    switch (input_.read(line)) {
      case ReadResult::end: session_.leave(); break;
      case ReadResult::interrupt:
        if (session_.leaving() || Clock::now() - warned < second_press) {
          session_.leave();
          break;
        }
        warned = Clock::now();
        session_.screen().print("Press Ctrl+C again or Ctrl+D to leave.\n");
        break;
      case ReadResult::line:
        warned = never;
        session_.marks().sent();
        handle(line, piped_ ? "" : line.text);
        input_.keep_unsent();
        break;
    }
  }
  session_.marks().leave();
  if (input_.attended()) session_.screen().print_untrusted(session_.farewell());
}

void Repl::handle(const edit::Draft& line, const std::string& typed) {
  const std::string text = edit::whole(line);
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string::npos) return;
  input_.begin_line(line, typed);
  const std::string_view rest = std::string_view(text).substr(start);
  try {
    if (rest.front() == '/' || rest.front() == '!' || rest == "?") {
      input_.keep({});  // unlike a prompt, which stays a draft until it is saved
      rest.front() == '/' ? dispatch(rest.substr(1)) : shell_escape(session_, rest);
      session_.show_title();  // a command may have changed it
    } else {
      session_.turn(text);
    }
  } catch (const Error& error) {
    session_.screen().end_turn(model::Stop::error, error.what());
  }
}

void Repl::send(const edit::Draft& line) {
  session_.screen().print_untrusted("› " + line.text + "\n");
  handle(line);
}

void Repl::dispatch(std::string_view command_line) {
  const auto [name, argument] = first_word(command_line);
  if (const commands::Command* command = commands::find_command(name))
    return command->run(session_, trimmed(argument, " "));
  session_.screen().print_untrusted("no command /" + std::string(name) + "; did you mean /" +
                                    std::string(commands::nearest_command(name).name) + "?\n");
}

prompt::EditorHelp Repl::editor_help() {
  return {.complete = [this](std::string_view line) { return commands::complete(session_, line); },
          .hint = commands::hint_for,
          .keep = [this](const edit::Draft& draft) { input_.keep(draft); },
          .expand = [this] { session_.screen().expand_last(); },
          .show_thinking = [this] { session_.screen().change_thinking(); },
          .cycle_mode = [this] { session_.screen().print(session_.cycle_mode() + "\n"); }};
}

}  // namespace skein::repl
