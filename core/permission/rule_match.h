// Whether a rule covers a place or a command, regardless of the tool it is for. Pure; the
// consequences are up to policy.
#pragma once

#include "core/permission/rules.h"
#include "core/permission/shell_words.h"

namespace skein::permission {

// What a rule is for. One that allows must match the call as it is written. One that denies is read
// widely: `secrets` is everything in that folder, a name without a slash is meant wherever it
// is, and a command's first words are enough, whatever path its program is called by.
enum class Purpose { allow, deny };

// Whether `*` in the pattern, where `literal` has a dot or is empty, can be text so that it is that
// text; every other character is itself. In linear time but for going back to the last star.
bool star_match(std::string_view pattern, std::string_view text, std::string_view literal = {});

// A path as rules see it: "./a//b" is "a/b". Nullopt for what words alone do not settle: absolute
// paths, ".." and control characters.
std::optional<std::string> plain_path(std::string_view path);

bool covers_place(const Rule& rule, const Located& place, Purpose purpose);
// The same rule for the place its own path leads to, if links make that another one.
std::optional<Rule> through_links(const Rule& rule, const model::Locate& locate);

// Tools that servers bring are named mcp__SERVER__TOOL. `mcp__SERVER` is all of a server's, and a
// `*` in such a name means any text.
bool names_server_tools(std::string_view name);
// The server and the tool in such a name; nullopt: it is none.
std::optional<std::pair<std::string, std::string>> server_tool(std::string_view name);
// Whether a rule is about this tool, whatever its pattern says.
bool covers_tool(const Rule& rule, std::string_view tool, Purpose purpose);

// A rule that allows must also name what is around the command, and only a rule without
// wildcards can; one that denies does not look at it.
bool covers_command(const Rule& rule, const SimpleCommand& command, Purpose purpose,
                    const CommandSetting& setting = {});
// Whether a rule that forbids covers it if an option takes the next word as its value.
bool may_cover_command(const Rule& rule, const SimpleCommand& command);
// Whether the rule names this very line: `= LINE`.
bool covers_line(const Rule& rule, std::string_view line);
// What could be paths in a word of a command: `--file=/x`, `-f/x`, `a:/x`. Parts of `word`.
std::vector<std::string_view> possible_paths(std::string_view word);
// Without `locate` words alone decide. What does not exist is nowhere.
bool is_outside(std::string_view path, const model::Locate& locate);
// Whether an argument that a wildcard of the rule covers names something outside the workspace.
// Without `locate` words alone decide.
bool reaches_out(const Rule& rule, const SimpleCommand& command, const model::Locate& locate);

// The word of a command that names a file which looks like a secret; empty: none does.
std::string secret_named_in(const SimpleCommand& command, const model::Locate& locate);

// Whether it covers more than one call of a tool with such an argument.
bool has_wildcard(const Rule& rule, model::Argument::Kind kind);
// The patterns of rules: these words, then anything; and exactly these.
std::string pattern_for(const SimpleCommand& command, std::size_t first_words);
std::string exact_pattern_for(const SimpleCommand& command, const CommandSetting& setting = {});
inline constexpr std::size_t longest_pattern = 4000;
std::string line_pattern_for(std::string_view line);  // empty: it is too long, or there is none

}  // namespace skein::permission
