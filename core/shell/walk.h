// Shell text read without running it: every simple command in it is handed on, with its words as
// far as they can be known beforehand. Which way a branch or a loop goes is not known, so each
// command counts as one that runs, and a variable may have any value that is assigned to it.
// Anything that bash could read in another way makes a value unknown or the text not understood.
#pragma once

#include "core/text/std.h"

namespace skein::shell {

// What a word, a variable or an output may be.
struct Values {
  std::vector<std::string> texts{};
  bool known = true;  // false: something else is possible too

  void add(const Values& more);
  static Values unknown() { return {.known = false}; }
  bool operator==(const Values&) const = default;
};
Values joined(const Values& first, const Values& second);  // each text with each

// What commands find and leave behind.
struct ShellScope {
  Values folders{};  // in which a command may run
  std::map<std::string, Values> variables{};
  std::set<std::string> functions{};  // their bodies have been handed on already
  // A variable that nothing here sets is unset, and what is in a substitution succeeds. Otherwise
  // such values are possible, but not known.
  bool assumes_usual = true;

  void add(const ShellScope& more);
};

struct ShellCall {
  struct Word {
    std::string written{};  // as written in the text
    Values values{};
    bool glob = false;  // the values are patterns, in which a backslash quotes
  };
  struct Assignment {
    std::string name{};
    Word value{};  // a glob: one of the files that match it
  };
  struct Redirection {
    std::string sign{};  // without a number in front: "<", ">>", "&>", ">&" …
    Word target{};
  };
  // Arithmetic is handed on as `let`, a condition in double brackets as `[[`. Empty: variables are
  // set for all later commands, or a redirection is that of a loop, a group or a branch.
  std::vector<Word> words{};
  std::vector<Assignment> assignments{};
  std::vector<Redirection> redirections{};
  // Standard input: a file, a text, or what another command prints.
  std::optional<Word> input{};
  std::optional<Values> document{};
  bool piped = false;
};

using ShellWords = std::span<const ShellCall::Word>;
// The only text that a word can be; empty: there is none, or more than one.
std::string_view text_of(const ShellCall::Word& word);
inline constexpr auto none = std::string_view::npos;

bool is_variable_name(std::string_view text);

// set, shift: the values of $1 to $9 are unknown.
void forget_arguments(ShellScope& scope);

// The words of a process substitution, of which the commands are handed on by themselves.
inline constexpr std::string_view read_from_process = "<(…)", written_to_process = ">(…)";

// Returns what the command prints.
using ShellVisit = std::function<Values(const ShellCall& call, ShellScope& scope)>;

struct ShellWalk {
  bool understood = true;  // false: the text could not be read to its end
  Values printed{};        // by all of its commands, in their order
};
// A text with loops or functions is read again until nothing is assigned that was not known
// before, so a command may be handed on more than once.
ShellWalk walk_shell(std::string_view text, ShellScope& scope, const ShellVisit& visit);

}  // namespace skein::shell
