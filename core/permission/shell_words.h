// A shell command line taken apart into its simple commands, as far as it can be read with
// certainty. Not a shell: whatever could mean something else to one makes it "not understood".
#pragma once

#include "core/text/std.h"

namespace skein::permission {

struct ShellWord {
  std::string text;       // without its quotes
  std::string literal{};  // one byte per byte of `text`: 'q' if it was quoted or escaped, else '.'
  bool operator==(const ShellWord&) const = default;
};
using SimpleCommand = std::vector<ShellWord>;  // never empty
// The first of these characters in it that is not quoted; npos: none.
std::size_t find_unquoted(const ShellWord& word, std::string_view any);

// What is around a command's words: variables set for it alone, files it reads or writes
// instead of the terminal.
struct CommandSetting {
  struct Redirection {
    std::string sign;  // as it is written: "<", ">", ">>", "2>", "&>" …
    std::string file{};
    bool operator==(const Redirection&) const = default;
  };
  std::vector<std::string> variables{};  // NAME=value, without quotes
  std::vector<Redirection> redirections{};
  bool empty() const { return variables.empty() && redirections.empty(); }
  bool operator==(const CommandSetting&) const = default;
};

struct ShellLine {
  std::vector<SimpleCommand> commands{};   // joined by ; && || | or line ends
  std::vector<CommandSetting> settings{};  // one for each of them
  std::string doubt{};  // why it is not understood; empty: `commands` is all that would run
};

// Understood are plain words with quotes and backslashes, globs behind a slash, the joints above,
// variables in front of a command, and redirections behind it. 2>&1, >&2 and those to or from
// /dev/null mean nothing and are left out. Everything else is doubt: substitution, expansion, other
// assignments, here-documents, groups, background, reserved words … In a rule's pattern
// (Globs::of_words) a `*` may be anywhere.
enum class Globs { of_files, of_words };
ShellLine parse_shell_line(std::string_view line, Globs globs = Globs::of_files);

// `text` as one word a shell takes as it is.
std::string shell_quoted(std::string_view text);

}  // namespace skein::permission
