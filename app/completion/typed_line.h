// What is being typed at the end of a command line, told from its words as the parser would: the
// option whose value it is, the place of an argument, or a name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli.h"
#include "app/option_row.h"

namespace skein::completion {

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

}  // namespace skein::completion
