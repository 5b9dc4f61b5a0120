// /help: the commands in groups, with their other names, and what else a line may begin with.
#include <algorithm>
#include <string>

#include "core/text/text.h"
#include "repl/commands/groups.h"
#include "repl/commands/handlers.h"
#include "repl/commands/table.h"
#include "repl/layout/flow.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/session/session.h"
#include "repl/terminal/key_help.h"

namespace skein::commands {

namespace {

namespace style = layout::style;

struct LineStart {
  std::string_view usage, help;
};
constexpr LineStart line_starts[] = {
    {"@path", "attach a file; Tab finds it"},
    {"!command", "run it in the shell and show the model its output"},
    {"!!command", "run it without telling the model"},
    {"?", "the keys; /help keys says more of each"},
};

constexpr std::size_t beside = 2 + 24 + 2, below = 6;  // columns at which help begins

// "/name arguments" and what it does, beside each other or below.
void print_row(Session& session, const std::string& usage, std::string_view help) {
  const layout::TerminalStyle& look = session.screen().look();
  const std::string name = layout::sanitized_row(usage), what = layout::sanitized_row(help);
  if (look.labels) return session.screen().print(name + ": " + what + "\n");
  const std::size_t width = session.screen().width();  // 0: unlimited
  const bool narrow = width > 0 && width < 2 * beside;
  const bool under = narrow || layout::display_width(name) > beside - 4;
  const std::size_t column = narrow ? below : beside;
  const std::size_t end = name.find(' ');
  const std::string gap = under ? "\n" + std::string(column, ' ')
                                : std::string(beside - 2 - layout::display_width(name), ' ');
  session.screen().print(
      "  " + painted(name.substr(0, end), style::code, look) +
      painted(end == std::string::npos ? "" : name.substr(end), style::dim, look) + gap +
      layout::hanging(what, column, width) + "\n");
}

void print_heading(Session& session, std::string_view text) {
  session.screen().print("\n" + painted(text, style::strong, session.screen().look()) + "\n");
}

std::string usage_of(const Command& command) {
  return "/" + std::string(command.name) + (command.arguments.empty() ? "" : " ") +
         std::string(command.arguments);
}

std::string help_of(const Command& command) {
  std::string names;
  for (const std::string_view alias : aliases_of(command.name))
    names += (names.empty() ? "" : ", ") + ("/" + std::string(alias));
  return std::string(command.help) + (names.empty() ? "" : " (also " + names + ")");
}

void print_own(Session& session) {
  const std::vector<project::OwnCommand> own = own_commands(session);
  if (!own.empty()) print_heading(session, "Of this project and your own");
  for (const project::OwnCommand& command : own) {
    const project::MarkdownFile file = project::read_markdown(command.path);
    const project::CommandWords words = project::words_of(file);
    print_row(session, "/" + command.name + (words.hint.empty() ? "" : " ") + words.hint,
              (file.refusal.empty() ? words.description : "cannot be read: " + file.refusal) +
                  (command.of_project ? " (project)" : " (yours)"));
  }
  const std::vector<session::ServerPrompt> prompts = session.services().server_prompts();
  if (!prompts.empty()) print_heading(session, "Prompts of MCP servers");
  for (const session::ServerPrompt& prompt : prompts)
    print_row(session, "/" + prompt.name + (prompt.hint.empty() ? "" : " ") + prompt.hint,
              prompt.description.substr(0, prompt.description.find('\n')));
}

const terminal::KeyMap& keys_of(Session& session) {
  return session.keyboard() != nullptr ? session.keyboard()->keys() : terminal::usual_keys();
}

void print_keys(Session& session) {
  for (const terminal::KeyRow& row : terminal::key_rows())
    print_row(session, keys_of(session).shown(row), row.words);
}

}  // namespace

void show_keys(Session& session) {
  session.screen().print(
      terminal::key_help(keys_of(session), session.screen().width(), session.screen().look()));
}

void show_help(Session& session, std::string_view name) {
  if (name.starts_with('/')) name.remove_prefix(1);
  if (const Command* command = name.empty() ? nullptr : find_command(name))
    return print_row(session, usage_of(*command), help_of(*command));
  if (name == "keys") return print_keys(session);
  if (!name.empty())
    throw Error("no command is called /" + std::string(name) + "; /help lists them");
  for (const CommandGroup& group : command_groups()) {
    print_heading(session, group.title);
    for (const std::string_view each : split(group.names, ' '))
      if (const Command* command = find_command(each))
        print_row(session, usage_of(*command), help_of(*command));
  }
  print_own(session);
  print_heading(session, "At the start of a line");
  for (const LineStart& each : line_starts) print_row(session, std::string(each.usage), each.help);
}

}  // namespace skein::commands
