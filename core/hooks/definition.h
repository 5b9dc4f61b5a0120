// One hook as somebody wrote it: at which event, for what, which program. Read from Claude Code's
// JSON here; from our own configuration in app/.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hooks/event.h"
#include "core/text/base.h"

namespace skein::hooks {

struct Definition {
  Event event = Event::session_start;
  std::string matcher{};    // of the event's subject; empty: all
  std::string condition{};  // a rule, as permissions are written; empty: all
  std::string command{};    // for a shell, or a program if there are `words`
  std::optional<std::vector<std::string>> words{};  // the program's arguments: no shell
  std::chrono::milliseconds time{};                 // 0: as the event has it
  bool block_on_failure = false;  // a program that fails counts as one that blocks
  bool for_claude = false;        // written for Claude Code: it is told Claude's names of things
  bool of_project = false;        // it came with the workspace
  std::string file{};             // where it is written

  std::chrono::milliseconds time_limit() const {
    return time.count() > 0 ? time : facts_about(event).time;
  }
};
std::string shown(const Definition& definition);  // the command and its arguments, in a line

// Whether a matcher covers one of the names that its subject goes by. Empty or `*`: all of them.
// Words with `|` or `,` between them: these names. Anything else: a regular expression, found
// anywhere; one that is wrong matches everything, for a guard must not fall asleep over a typo.
bool matches(std::string_view matcher, const std::vector<std::string>& names);

// The `hooks` member of a file as Claude Code writes it.
struct ReadHooks {
  std::vector<Definition> definitions{};
  std::vector<std::string> remarks{};  // what is passed over, and why
  std::string trouble{};               // why nothing of the file could be read
  JsonText text{};                     // of the member alone, as it was judged; empty: none
};
ReadHooks read_claude_hooks(std::string_view json, const std::string& file, bool of_project);

}  // namespace skein::hooks
