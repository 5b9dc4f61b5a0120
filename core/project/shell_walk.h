// Shell text read without running it: every simple command in it is handed on, with its words as
// far as they can be known beforehand. Which way a branch or a loop goes is not known, so each
// command counts as one that runs, and a variable may have any value that is assigned to it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace skein::project {

// What a word, a variable or an output may be.
struct Values {
  std::vector<std::string> texts{};
  bool known = true;  // false: something else is possible too

  void add(const Values& more);
  static Values unknown() { return {.known = false}; }
};
Values joined(const Values& first, const Values& second);  // each text with each

// What commands find and leave behind.
struct ShellScope {
  Values folders{};  // in which a command may run
  std::map<std::string, Values> variables{};
  std::set<std::string> functions{};  // their bodies have been handed on already
};

struct ShellCall {
  struct Word {
    std::string written{};  // as written in the text
    Values values{};
    bool glob = false;  // the values are patterns
  };
  struct Assignment {
    std::string name{};
    Word value{};
  };
  std::vector<Word> words{};  // never empty
  std::vector<Assignment> assignments{};
  // Standard input: a file, a text, or what another command prints.
  std::optional<Word> input{};
  std::optional<Values> document{};
  bool piped = false;
};

// Returns what the command prints.
using ShellVisit = std::function<Values(const ShellCall& call, ShellScope& scope)>;

struct ShellWalk {
  bool understood = true;  // false: the text could not be read to its end
  Values printed{};        // by all of its commands, in their order
};
ShellWalk walk_shell(std::string_view text, ShellScope& scope, const ShellVisit& visit);

}  // namespace skein::project
