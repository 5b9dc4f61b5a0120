#include "repl/repl.h"

#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/commands/table.h"
#include "repl/edit/external_editor.h"

namespace skein::repl {

namespace {

constexpr std::chrono::seconds second_press{2};
constexpr std::size_t most_output = 64 * 1024;

// The report to the model about a command that the user ran.
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

constexpr std::string_view screen_programs =
    "btop emacs fzf htop info lazygit less man mc micro more most nano nmtui nvim pico ranger tig "
    "tmux top vi view vim vimdiff visudo";

// Whether a program in the line draws on the whole screen, unless it writes into a pipe. It gets
// the terminal, and nothing that it draws is for the model.
bool takes_screen(std::string_view line) {
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of("|;&\n"), line.size());
    std::string_view rest = line.substr(0, end);
    line.remove_prefix(end);
    const bool piped = line.starts_with('|') && !line.starts_with("||");
    line.remove_prefix(std::min<std::size_t>(line.starts_with("||") ? 2 : 1, line.size()));
    for (bool before = !piped; before && !trimmed(rest).empty();) {
      const auto [word, further] = first_word(trimmed(rest));
      rest = further;
      before = word == "sudo" || word == "env" || word.find('=') != word.npos;
      if (has_word(screen_programs, word.substr(word.rfind('/') + 1))) return true;
    }
  }
  return false;
}

// Of a program that switched to the alternate screen nothing is kept.
constexpr std::string_view alternate_screens[] = {"\x1b[?1049h", "\x1b[?1047h", "\x1b[?47h"};
constexpr const char* not_recorded = "(it used the whole screen; its output is not recorded)\n";

bool used_screen(const std::string& output) {
  return std::ranges::any_of(alternate_screens, [&](std::string_view sequence) {
    return output.find(sequence) != std::string::npos;
  });
}

void run_for_user(session::Session& session, std::string_view command, bool tell_model) {
  if (command.find_first_not_of(" \t") == std::string_view::npos)
    throw Error("type a shell command after !");
  const bool with_screen = session.keyboard() != nullptr && takes_screen(command);
  std::string output = with_screen ? not_recorded : "";
  const std::function<void(std::string_view)> show = [&](std::string_view piece) {
    output += piece;
    session.screen().pass_on(piece);
  };
  terminal::Terminal* terminal = session.keyboard() ? &session.keyboard()->terminal() : nullptr;
  const int status =
      edit::run_at_terminal({users_shell(), "-c", std::string(command)}, terminal,
                            tell_model && !with_screen ? show : nullptr, session.workspace());
  session.screen().start_line();
  if (status != 0) session.screen().print("exit status " + std::to_string(status) + "\n");
  if (first_word(command).first == "cd" && command.find_first_of(";&|") == std::string_view::npos)
    session.screen().note("cd affects only that command; the workspace is still " +
                          session.workspace());
  if (used_screen(output)) output = not_recorded;
  if (tell_model) session.tell(report(command, std::move(output), status));
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
      return session_.screen().print("Press Ctrl+C again or Ctrl+D to quit.\n");
    case ReadResult::line: break;
  }
  warned_.reset();
  session_.marks().sent();
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
      if (rest.front() == '/')
        dispatch(rest.substr(1));
      else if (rest == "?")
        commands::show_keys(session_);
      else if (rest.starts_with("!!"))
        run_for_user(session_, rest.substr(2), false);
      else
        run_for_user(session_, rest.substr(1), true);
      session_.show_title();  // a command may have changed it
    } else {
      session_.turn(text);
    }
  });
}

void Repl::attempt(const std::function<void()>& work) {
  try {
    session_.screen().print_untrusted(session_.services().news(std::nullopt));
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
  if (commands::run_as_elsewhere(session_, name, trimmed(argument, " "))) return;
  const std::string meant = commands::nearest_command(session_, name);
  session_.screen().print_untrusted(
      "no command /" + std::string(name) +
      (meant.empty() ? "; /help lists them\n" : "; did you mean /" + meant + "?\n"));
}

prompt::EditorHelp Repl::editor_help() {
  return {.complete = [this](std::string_view line) { return commands::complete(session_, line); },
          .hint = [this](std::string_view line) { return commands::hint_for(session_, line); },
          .prompt = [this] { return session_.prompt(); },
          .keep = [this](const edit::Draft& draft) { input_.keep(draft); },
          .expand = [this] { session_.screen().expand_last(); },
          .show_thinking = [this] { session_.screen().change_thinking(); },
          // The prompt names the mode; what it means is said once.
          .cycle_mode =
              [this] {
                const std::string meaning = session_.cycle_mode();
                if (explained_.insert(meaning).second) session_.screen().note(meaning);
              }};
}

}  // namespace skein::repl
