// The one table of slash commands. /help, Tab, hints and "did you mean" are derived from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/own_commands.h"
#include "repl/prompt/choice.h"

namespace skein::session {
class Session;
}  // namespace skein::session

namespace skein::commands {

struct Command {
  std::string_view name;       // without the slash
  std::string_view arguments;  // "<session>", "[n|all]"
  std::string_view help;
  std::vector<std::string> (*complete)(session::Session&,
                                       std::string_view argument);  // may be null
  void (*run)(session::Session&, std::string_view argument);
  // Adds a few words to what `complete` gave; may be null.
  void (*describe)(session::Session&, std::vector<prompt::Choice>& choices) = nullptr;
};

std::span<const Command> commands();  // sorted by name
// How often a command is wanted: of several that begin with what was typed the first is taken. What
// cannot simply be taken back comes last, whatever its name.
enum class Use { often, sometimes, careful };
Use use_of(std::string_view name);
// Those of the project and the user's own that no other hides, sorted by name.
std::vector<project::OwnCommand> own_commands(session::Session& session);
const Command* find_command(std::string_view name);
std::vector<std::string_view> aliases_of(std::string_view name);  // what else it is called
// What was probably meant, among those of the project and the user's own too; empty: no telling.
std::string nearest_command(session::Session& session, std::string_view name);

}  // namespace skein::commands
