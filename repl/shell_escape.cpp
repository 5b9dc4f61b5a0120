#include "repl/shell_escape.h"

#include "repl/edit/external_editor.h"
#include "repl/layout/width.h"

namespace skein::repl {

namespace {

constexpr std::size_t most_output = 64 * 1024;

struct KeyHelp {
  std::string_view keys, what;
};
constexpr KeyHelp keys_help[] = {
    {"Enter", "send; during a turn: queue for later"},
    {"Ctrl+J Alt+Enter \\+Enter", "a new line"},
    {"Tab", "complete /command or @file"},
    {"Up Down", "move by line, then through the history"},
    {"Ctrl+R", "search the history"},
    {"Right End", "accept the grey text; Alt+F: one word"},
    {"Ctrl+G, Ctrl+X Ctrl+E", "open the line in your editor"},
    {"Ctrl+W Ctrl+U Ctrl+K", "delete; Ctrl+Y puts it back"},
    {"Ctrl+_", "undo"},
    {"Ctrl+C", "clear the line, stop a turn; twice: leave"},
    {"Esc", "stop a turn; twice on an empty line: /tree"},
    {"Ctrl+D", "leave, on an empty line"},
    {"Ctrl+L", "clear the screen, keep the scrollback"},
    {"Ctrl+O", "show the last folded output"},
    {"Ctrl+T", "on an empty line: all of the thinking, or one line"},
    {"Shift+Tab", "change the permission mode"},
    {"@path", "attach a file; images can be dropped here"},
    {"!command", "run it and show the model its output"},
    {"!!command", "run it without telling the model"},
    {"/help", "the commands"},
};

std::string keys_text() {
  std::string out;
  for (const KeyHelp& each : keys_help)
    out += "  " + layout::padded(std::string(each.keys), 24) + "  " + std::string(each.what) + "\n";
  return out;
}

// What the model is told about a command that the user ran.
std::string report(std::string_view command, std::string output, int status) {
  if (output.size() > most_output)
    output = "[…]\n" + std::string(valid_utf8(output.substr(output.size() - most_output)));
  if (!output.empty() && !output.ends_with('\n')) output += '\n';
  return "I ran `" + std::string(command) + "`, exit status " + std::to_string(status) +
         ":\n\n```\n" + output + "```";
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
  const int status = edit::run_at_terminal({"/bin/sh", "-c", std::string(command)}, terminal,
                                           tell_model ? show : nullptr, session.workspace());
  session.screen().start_line();
  if (status != 0) session.screen().print("exit status " + std::to_string(status) + "\n");
  if (tell_model) session.tell(report(command, std::move(output), status));
}

}  // namespace

void shell_escape(session::Session& session, std::string_view line) {
  if (line == "?") return session.screen().print(keys_text());
  const bool alone = line.starts_with("!!");
  run_for_user(session, line.substr(alone ? 2 : 1), !alone);
}

}  // namespace skein::repl
