// skein completion SHELL, and what the scripts it prints ask for at every Tab.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

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

// A second Tab: what is given is only shown. Each is wide enough to have a row of its own.
void list_for_bash(const std::vector<Candidate>& all, const std::string& columns) {
  const auto wide = static_cast<std::size_t>(std::clamp(std::atoi(columns.c_str()), 20, 1000)) - 2;
  std::size_t widest = 0;
  for (const Candidate& each : all)
    widest = std::max(widest, std::min(layout::display_width(each.text), wide / 2));
  for (const Candidate& each : all)
    put(each.description.empty()
            ? each.text
            : layout::padded(
                  layout::fit(layout::padded(each.text, widest) + "  " + each.description, wide),
                  wide / 2 + 1));
}

// `type` and `columns` are bash's; `replaced` is what it will put a candidate in the place of.
void complete_for_bash(const std::string& type, const std::string& columns,
                       const std::string& replaced, const std::string& line) {
  constexpr std::string_view listing = "63";
  const completion::BashLine typed = completion::read_bash_line(line);
  const Candidates found = candidates_of({typed.words.begin() + 1, typed.words.end()});
  if (type == listing && found.all.size() > 1) return list_for_bash(found.all, columns);
  for (const Candidate& each : found.all)
    if (const auto quoted = completion::quoted_for_bash(each.text, typed.open_quote))
      if (const auto part = completion::part_bash_replaces(typed, replaced, *quoted)) put(*part);
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
