// The one table of slash commands. /help, Tab, hints and "did you mean" are derived from it.
#pragma once

#include "core/project/own_commands.h"
#include "repl/commands/handlers.h"
#include "repl/prompt/line_editor.h"

namespace skein::commands {

// Where /help lists a command, in this order.
enum class HelpGroup {
  conversation,
  model,
  files,
  permissions,
  running,
  branches,
  sessions,
  program
};
inline constexpr std::string_view group_titles[] = {
    "This conversation", "Model",    "Plans and files", "Tools, permissions",
    "While it works",    "Branches", "Sessions",        "Setup and help"};
// How often a command is wanted: of several that begin with what was typed the first is taken. A
// command that cannot simply be undone comes last, whatever its name.
enum class Use { often, sometimes, careful };

struct Command {
  struct Listing {
    constexpr Listing(HelpGroup in, Use how = Use::sometimes) : group(in), use(how) {}
    HelpGroup group;
    Use use;
  };
  std::string_view name;       // without the slash
  std::string_view arguments;  // "<session>", "[n|all]"
  std::string_view help;
  Listing listing;
  CommandHandler* run;
  CommandCompleter* complete = nullptr;  // may be null
};

std::span<const Command> commands();  // sorted by name
// The project's commands and the user's own that no other hides, sorted by name.
std::vector<project::OwnCommand> own_commands(Session& session);
const Command* find_command(std::string_view name);
// Runs what another agent calls by this name, or says what to do instead; false: none does.
bool run_as_elsewhere(Session& session, std::string_view name, std::string_view arguments);
// The command that was probably meant, among all kinds of commands; empty: none is similar.
std::string nearest_command(Session& session, std::string_view name);

// What Tab offers at the prompt, and the hint shown after the line.
prompt::Completion complete(Session& session, std::string_view before_cursor);
std::string hint_for(Session& session, std::string_view line);

}  // namespace skein::commands
