// The text of a command or a skill with its placeholders filled in, once and from left to right:
// what is inserted is not looked at again. Pure; the commands that stand in it are run elsewhere.
#pragma once

#include "core/text/std.h"

namespace skein::project {

struct CommandValues {
  std::string typed{};               // everything after the name, as typed
  std::vector<std::string> names{};  // what the file calls its arguments, by position
  std::string session{}, skill_folder{}, project_folder{};
};

// A piece of the text, or a command whose output takes its place.
struct CommandPiece {
  bool is_shell = false;
  std::string text{};
  bool operator==(const CommandPiece&) const = default;
};

// `body` is the file without its front matter. Arguments inside a command are quoted, so that a
// shell takes them as words and nothing else. Throws Error (usage) where that cannot be made sure.
std::vector<CommandPiece> fill_in(std::string_view body, const CommandValues& values);

// By a shell's rules for quotes and backslashes, without any expansion.
std::vector<std::string> split_words(std::string_view typed);

}  // namespace skein::project
