#include "repl/repl.h"

#include <unistd.h>

#include <chrono>
#include <functional>

#include "core/text/text.h"
#include "repl/commands/completion.h"
#include "repl/commands/handlers.h"
#include "repl/commands/table.h"
#include "repl/edit/external_editor.h"

namespace skein::repl {

namespace {

constexpr std::chrono::seconds second_press{2};
constexpr std::size_t most_output = 64 * 1024;

// What the model is told about a command that the user ran.
std::string report(std::string_view command, std::string output, int status) {
  if (output.size() > most_output)
    output = "[…]\n" + std::string(valid_utf8(output.substr(output.size() - most_output)));
  if (!output.empty() && !output.ends_with('\n')) output += '\n';
  return "I ran `" + std::string(command) + "`, exit status " + std::to_string(status) +
         ":\n\n```\n" + output + "```";
}

// The user's own, for what they type themselves.
std::string users_shell() {
  std::string shell = env("SHELL");
  return shell.starts_with('/') && access(shell.c_str(), X_OK) == 0 ? shell : "/bin/sh";
}

void run_for_user(session::Session& session, std::string_view command, bool tell_model) {
  if (command.find_first_not_of(" \t") == std::string_view::npos)
    throw Error("! takes a command for the shell");
  std::string output;
  const std::function<void(std::string_view)> show = [&](std::string_view piece) {
    output += piece;
    session.screen().pass_on(piece);
  };
  terminal::Terminal* terminal = session.keyboard() ? &session.keyboard()->terminal() : nullptr;
  const int status = edit::run_at_terminal({users_shell(), "-c", std::string(command)}, terminal,
                                           tell_model ? show : nullptr, session.workspace());
  session.screen().start_line();
  if (status != 0) session.screen().print("exit status " + std::to_string(status) + "\n");
  if (first_word(command).first == "cd" && command.find_first_of(";&|") == std::string_view::npos)
    session.screen().note("cd holds for that command alone; the workspace stays " +
                          session.workspace());
  if (tell_model) session.tell(report(command, std::move(output), status));
}

// `!command` and `!!command` for the system's shell, `?` for the keys.
void shell_escape(session::Session& session, std::string_view line) {
  if (line == "?") return commands::show_keys(session);
  const bool alone = line.starts_with("!!");
  run_for_user(session, line.substr(alone ? 2 : 1), !alone);
}

}  // namespace

void Repl::run() {
  while (!session_.leaving()) {
    session_.screen().separate();
    if (const auto next = input_.take_queued())
      send(*next);
    else
      read_line();
    if (session_.leaving()) session_.settle_work();
  }
  session_.marks().leave();
  if (input_.attended()) session_.screen().print_untrusted(session_.farewell());
}

void Repl::read_line() {
  using ReadResult = prompt::LineEditor::ReadResult;
  session_.marks().prompt();
  edit::Draft line;
  switch (input_.read(session_.prompt(), line)) {
    case ReadResult::end: return session_.leave();
    case ReadResult::woken: return attempt([this] { session_.go_on(); });
    case ReadResult::interrupt:
      if (session_.leaving() || (warned_ && Clock::now() - *warned_ < second_press))
        return session_.leave();
      warned_ = Clock::now();
      return session_.screen().print("Press Ctrl+C again or Ctrl+D to leave.\n");
    case ReadResult::line: break;
  }
  warned_.reset();
  session_.marks().sent();
  session_.screen().print_untrusted(session_.services().changed_settings());
  handle(line, piped_ ? "" : line.text);
  input_.keep_unsent();
  if (!session_.leaving())
    session_.screen().print_untrusted(session_.services().news(session_.id()));
}

void Repl::handle(const edit::Draft& line, const std::string& typed) {
  const std::string text = edit::whole(line);
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string::npos) return;
  input_.begin_line(line, typed);
  const std::string_view rest = std::string_view(text).substr(start);
  attempt([&] {
    if (rest.front() == '/' || rest.front() == '!' || rest == "?") {
      input_.keep({});  // unlike a prompt, which stays a draft until it is saved
      rest.front() == '/' ? dispatch(rest.substr(1)) : shell_escape(session_, rest);
      session_.show_title();  // a command may have changed it
    } else {
      session_.turn(text);
    }
  });
}

void Repl::attempt(const std::function<void()>& work) {
  try {
    session_.catch_up();
    work();
  } catch (const Error& error) {
    session_.screen().end_turn(model::Stop::error, error.what());
  }
}

void Repl::send(const edit::Draft& line) {
  session_.screen().show_sent(session_.prompt(), line.text);
  handle(line);
}

void Repl::dispatch(std::string_view command_line) {
  const auto [name, argument] = first_word(command_line);
  if (const commands::Command* command = commands::find_command(name))
    return command->run(session_, trimmed(argument, " "));
  if (session_.turn_of(name, trimmed(argument, " "))) return;
  const std::string meant = commands::nearest_command(session_, name);
  session_.screen().print_untrusted(
      "no command /" + std::string(name) +
      (meant.empty() ? "; /help lists them\n" : "; did you mean /" + meant + "?\n"));
}

// The prompt names the mode; what it means is said once.
void Repl::tell_of_mode(const std::string& meaning) {
  if (told_.insert(meaning).second) session_.screen().note(meaning);
}

prompt::EditorHelp Repl::editor_help() {
  return {.complete = [this](std::string_view line) { return commands::complete(session_, line); },
          .hint = [this](std::string_view line) { return commands::hint_for(session_, line); },
          .prompt = [this] { return session_.prompt(); },
          .keep = [this](const edit::Draft& draft) { input_.keep(draft); },
          .expand = [this] { session_.screen().expand_last(); },
          .show_thinking = [this] { session_.screen().change_thinking(); },
          .cycle_mode = [this] { tell_of_mode(session_.cycle_mode()); }};
}

}  // namespace skein::repl
