// Whether a rule covers a path or a command. Pure; policy decides what follows from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/policy.h"
#include "core/shell_words.h"

namespace skein {

// A path as rules see it: "./a//b" is "a/b". Nullopt for what words alone do not settle: absolute
// paths, ".." and control characters.
std::optional<std::string> plain_path(std::string_view path);
bool covers_path(const Rule& rule, std::string_view plain);

// An allowing rule must match the command as it is written. A denying one also matches the program
// by its last name (/bin/rm is rm).
enum class Purpose { allow, deny };
bool covers_command(const Rule& rule, const SimpleCommand& command, Purpose purpose);

bool has_wildcard(const Rule& rule);                                   // covers more than one call
Rule rule_for(const SimpleCommand& command, std::size_t first_words);  // these words, then anything
Rule exact_rule_for(const SimpleCommand& command);

}  // namespace skein
