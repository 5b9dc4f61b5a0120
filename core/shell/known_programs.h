// Programs that commands are made of: what each of them runs in turn.
#pragma once

#include "core/text/std.h"

namespace skein::shell {

struct KnownProgram {
  enum class Runs {
    nothing,           // of the project, whatever its arguments
    project,           // what files of the project say: a Makefile, package.json, tests …
    program,           // the one that its arguments name
    program_for_each,  // the same, with further arguments: xargs
    found,             // one for each file that it finds: find -exec
    shell_text,        // its arguments, as a line for the shell
    trap,              // the first of them
    sourced,           // a shell script, as if its lines were here
    shell,             // a script or a text in its own language, as the next ones do
    python,
    node,
    script,  // in a language of which nothing is known
    awk,     // the text is its first operand
    git,     // itself, unless an argument names a program
    // Part of the shell, or as good as that: they decide what the words of other commands mean.
    folder,     // changes the folder
    variables,  // sets variables
    forgets,    // sets variables to what is not known beforehand
    forgets_arguments,
    prints_folder,
    prints_parent,
    prints_path,
    prints_words,
  };
  std::string_view names;  // with blanks between
  Runs runs;
  struct Options {
    std::string_view valued{};   // the next word is their value
    std::string_view texts{};    // the next word is a text that is run
    std::string_view files{};    // the next word is a file that is run
    std::string_view folders{};  // the next word is the folder to run in
    std::string_view queries{};  // nothing is run
  } options{};
  int operands = 0;  // words between the options and the program that it runs
};

std::string_view last_name(std::string_view path);  // without its folder
// By a name without slashes; null: nothing is known of it.
const KnownProgram* known_program(std::string_view name);
// The program that runs a script, by its first line; null: nothing is known of it. A script without
// `#!` is for a shell.
const KnownProgram* interpreter_of(std::string_view script);
// Whether an argument makes a program run another one that otherwise runs none.
bool runs_by_argument(std::string_view program, std::string_view argument);
// Whether programs find other programs, or what they load, by this variable.
bool is_search_path(std::string_view variable);

}  // namespace skein::shell
