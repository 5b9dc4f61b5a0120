// Follows shell text into the programs that it starts: through env, xargs, find -exec, sh -c, eval
// and the like, to each program with its words as far as they can be known. What becomes of a
// program is for the class that derives from it.
#pragma once

#include "core/text/std.h"

#include "core/shell/known_programs.h"
#include "core/shell/walk.h"

namespace skein::shell {

class ProgramReader {
 public:
  virtual ~ProgramReader() = default;
  // As a shell would run it that begins with `scope`.
  void read_text(std::string_view text, ShellScope& scope);

 protected:
  using Word = ShellCall::Word;

  // Something that is started, run or set cannot be known beforehand.
  virtual void cannot_follow(std::string_view what) = 0;
  // A program, by one of the names that its first word may be. Returns what it prints.
  virtual Values started(const std::string& name, ShellWords words, ShellScope& scope) = 0;
  // `words` are a program's name and options; it starts the program behind them.
  virtual void starts_another(const KnownProgram&, ShellWords) {}
  // A variable, `exported` to the programs that are started.
  virtual void assigned(const std::string& name, const Values& value, bool exported) = 0;
  // The files that match a pattern.
  virtual Values matches(const Word& pattern, const ShellScope& scope) = 0;
  // A text in the language of `by`, with arguments; a file that the first word names; python -m.
  virtual void run_text(const KnownProgram& by, std::string_view text, ShellWords arguments,
                        ShellScope& scope) = 0;
  virtual void run_file(ShellWords, const KnownProgram&, ShellScope&) {}
  virtual void run_module(std::string_view, const KnownProgram&, ShellScope&) {}
  virtual Values command(const ShellCall& call, ShellScope& scope);

  // What `known` runs in turn, and what it prints.
  Values follow(const KnownProgram& known, ShellWords words, ShellScope& scope);
  // A shell script in its own shell.
  void run_script(std::string_view text, ShellWords words, const ShellScope& scope);

 private:
  Values program(ShellWords words, ShellScope& scope);
  Values wrapped(const KnownProgram& by, ShellWords words, ShellScope& scope);
  void run_found(ShellWords words, const ShellScope& scope);
  void run_words(ShellWords words, ShellScope& scope);
  void interpreted(const KnownProgram& by, ShellWords words, ShellScope& scope);
  void inline_text(const KnownProgram& by, ShellWords words, ShellScope& scope);
  void standard_input(const KnownProgram& by, ShellWords words, ShellScope& scope);
  void set(ShellWords words, ShellScope& scope);

  int commands_ = 0, depth_ = 0;
  const ShellCall* call_ = nullptr;  // that is being followed
};

}  // namespace skein::shell
