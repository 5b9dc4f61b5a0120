// skein completion SHELL, and what the scripts it prints ask for at every Tab.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "app/completion/bash_line.h"
#include "app/completion/candidates.h"
#include "app/completion/scripts.h"
#include "app/verbs/subcommands.h"
#include "core/text/base.h"
#include "repl/layout/width.h"

namespace skein::verbs {

using completion::Candidate, completion::Candidates;

namespace {

void put(const std::string& line) { std::fputs((line + "\n").c_str(), stdout); }

Candidates candidates_of(const std::vector<std::string>& words) {
  return words.empty() ? Candidates{}
                       : completion::candidates_for(completion::read_typed_line(words));
}

void put_what_shell_does(Candidates::Shell shell) {
  if (shell == Candidates::Shell::files) put("\tfiles");
  if (shell == Candidates::Shell::folders) put("\tfolders");
}

// `type` and `columns` are bash's; `replaced` is what it will put a candidate in the place of.
void complete_for_bash(const std::string& type, const std::string& columns,
                       const std::string& replaced, const std::string& line) {
  constexpr std::string_view listing = "63";  // a second Tab: what is given is only shown
  const completion::BashLine typed = completion::read_bash_line(line);
  const Candidates found = candidates_of({typed.words.begin() + 1, typed.words.end()});
  const int wide = std::clamp(std::atoi(columns.c_str()), 20, 1000);
  for (const Candidate& each : found.all)
    if (type == listing && found.all.size() > 1 && !each.description.empty())
      put(layout::fit(each.text + "  " + each.description, static_cast<std::size_t>(wide) - 2));
    else if (const auto quoted = completion::quoted_for_bash(each.text, typed.open_quote))
      put(completion::part_bash_replaces(typed, replaced, *quoted));
  put_what_shell_does(found.shell);
}

}  // namespace

int print_completion(const app::Invocation& invocation) {
  const std::string& wanted = invocation.arguments.at(0);
  for (const completion::ShellScript& each : completion::shell_scripts())
    if (each.shell == wanted) {
      std::fwrite(each.script.data(), 1, each.script.size(), stdout);
      return 0;
    }
  throw Error("there is no completion for '" + wanted + "'; there is one for bash, zsh and fish",
              ExitStatus::usage);
}

// `[--] WORDS…`: those behind skein, the last of them being typed; a line for each candidate, with
// a tab and what it is, "\tfiles" and "\tfolders" for what the shell itself completes. Or
// `--bash TYPE COLUMNS REPLACED LINE`: bare candidates, quoted.
int complete_words(const app::Invocation& invocation) {
  const std::vector<std::string>& given = invocation.arguments;
  if (given.size() == 5 && given.front() == "--bash") {
    complete_for_bash(given[1], given[2], given[3], given[4]);
    return 0;
  }
  const bool dashes = !given.empty() && given.front() == "--";
  const Candidates found = candidates_of({given.begin() + (dashes ? 1 : 0), given.end()});
  for (const Candidate& each : found.all) put(each.text + "\t" + each.description);
  put_what_shell_does(found.shell);
  return 0;
}

}  // namespace skein::verbs
