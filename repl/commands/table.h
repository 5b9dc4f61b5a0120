// The one table of slash commands. /help, Tab, hints and "did you mean" are functions of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skein::repl {
class Shell;
}  // namespace skein::repl

namespace skein::commands {

struct Command {
  std::string_view name;       // without the slash
  std::string_view arguments;  // "<session>", "[n|all]"
  std::string_view help;
  std::vector<std::string> (*complete)(repl::Shell&, std::string_view argument);  // may be null
  void (*run)(repl::Shell&, std::string_view argument);
};

std::span<const Command> commands();  // sorted by name
const Command* find_command(std::string_view name);
const Command& nearest_command(std::string_view name);

}  // namespace skein::commands
