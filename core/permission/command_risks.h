// Commands that can do more than their name says: they, or their options, run other commands.
#pragma once

#include "core/text/std.h"

#include "core/permission/shell_words.h"

namespace skein::permission {

// Why a rule with a wildcard must not cover this command: it starts others, changes the shell for
// those that follow, or has an option or argument that does or that writes a file. Empty: nothing
// known against it.
std::string_view risk_of(const SimpleCommand& command);

// Variables by which a program loads code, finds other programs or is given options: NAME=value.
bool steers_programs(std::string_view assignment);

// How many first words say what a command does ("git status" is two), for those whose further
// words may vary without harm; 0 for all others.
std::size_t subcommand_word_count(const SimpleCommand& command);

// Every program, or program and subcommand, whose arguments are looked at: so that each can be
// shown to deserve it.
std::vector<std::string_view> programs_with_risky_arguments();

}  // namespace skein::permission
