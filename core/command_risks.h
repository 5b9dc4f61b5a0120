// Commands that are more than their name says: those that run other commands, and options that do.
#pragma once

#include <string_view>

#include "core/shell_words.h"

namespace skein {

// Why a rule with a wildcard must not cover this command: it starts others, changes the shell for
// those that follow, or has an option or argument that does or that writes a file. Empty: nothing
// known against it.
std::string_view hidden_power(const SimpleCommand& command);

// How many first words say what a command does ("git status" is two), for those whose further
// words may vary without harm; 0 for all others.
std::size_t telling_words(const SimpleCommand& command);

}  // namespace skein
