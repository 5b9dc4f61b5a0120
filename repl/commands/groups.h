// How /help arranges the commands: every one of them stands in exactly one group.
#pragma once

#include <span>
#include <string_view>

namespace skein::commands {

struct CommandGroup {
  std::string_view title;
  std::string_view names;  // with blanks between
};

inline std::span<const CommandGroup> command_groups() {
  static constexpr CommandGroup groups[] = {
      {"This conversation",
       "new undo redo retry edit continue btw rewind compact context usage history expand copy raw "
       "export "
       "quit"},
      {"Model", "model thinking system login"},
      {"Plans and files", "plan todo diff web init instructions memory remember"},
      {"What may run", "permissions add-dir tools skills mcp hooks"},
      {"While it works", "queue steer jobs agents"},
      {"Branches", "tree branch branches fork snapshot snapshots rollback replay follow"},
      {"Sessions",
       "resume sessions search switch rename delete restore archive import insights redact"},
      {"skein itself", "help status config doctor"},
  };
  return groups;
}

}  // namespace skein::commands
