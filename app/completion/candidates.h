// What a word that is being typed may become: sessions, models, entries, names out of the tables.
// Nothing is asked of the network, and nothing is made in a home that is not there.
#pragma once

#include "app/invocation/cli.h"

namespace skein::completion {

// What is being typed at the end of a command line, found from its words as the parser would: the
// option whose value it is, the place of an argument, or a name.
struct TypedLine {
  enum class What {
    option,  // the name of one
    value,   // of an option or an argument
    word,    // a subcommand, or an argument
    prompt,  // said to the model
  };
  What what = What::word;
  std::string path{};                        // the words of the subcommand so far: "sessions"
  const app::Subcommand* command = nullptr;  // null: skein itself
  std::vector<std::string> arguments{};      // before the one being typed
  std::string option{};                      // whose value is typed
  std::string value{};                       // what is to be given: "KEY"; see OptionRow
  std::string before{};                      // "--session=": what of the word is no part of it
  std::string given{};                       // what of it is there
  app::Invocation invocation{};              // the home and the workspace, if the line names them
};

// `words` are those behind `skein`; the last is being typed, and may be empty.
TypedLine read_typed_line(std::span<const std::string> words);

// What the argument after so many others is to be: "KEY"; empty: there is none.
std::string argument_word(std::string_view arguments, std::size_t before);

// Both fit to be shown by a terminal.
struct Candidate {
  std::string text{};
  std::string description{};
};

struct Candidates {
  std::vector<Candidate> all{};
  // What the shell knows better.
  enum class Shell { nothing, files, folders } shell = Shell::nothing;
};

// Those that begin with what is there already, the likeliest first. Of very many only the first
// are given, and one more where those would have more in common than all do.
Candidates candidates_for(const TypedLine& line);

// A command line as bash has it: taken apart into words, and what is offered quoted so that bash
// reads the very text again. Nothing of it is ever run or expanded.
struct BashLine {
  std::vector<std::string> words{};  // without their quotes; the last is being typed
  std::string last_as_typed{};       // with them
  char open_quote = 0;               // ' or ": what is being typed is inside
};
BashLine read_bash_line(std::string_view line);

// `text` as it is written behind `open_quote`, or without one. Nothing: it cannot be written there.
std::optional<std::string> quoted_for_bash(std::string_view text, char open_quote);

// What bash replaces is only the part of a word behind the last `:` or `=`: `replaced` is how it
// was typed. Of a candidate only that part is wanted. Nothing: what is before it is quoted in
// another way than the candidate is.
std::optional<std::string> part_bash_replaces(const BashLine& line, std::string_view replaced,
                                              const std::string& candidate);

}  // namespace skein::completion
