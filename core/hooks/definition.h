// One hook as a configuration has it: at which event, for what, which program. Read from Claude
// Code's JSON here; from our own configuration in app/.
#pragma once

#include "core/process/side_by_side.h"
#include "core/text/base.h"

namespace skein::hooks {

// The moments of a session at which the user's own programs may be run.
enum class Event {
  session_start,
  user_prompt_submit,
  pre_tool_use,
  permission_request,
  post_tool_use,
  post_tool_use_failure,
  notification,
  stop,
  subagent_stop,
  pre_compact,
  post_compact,
  pre_model_switch,
  post_model_switch,
  session_end,
};

struct EventFacts {
  Event event;
  std::string_view name;           // the same as in other agents
  std::string_view subject;        // what a matcher is held against, for people; empty: nothing
  bool of_tool;                    // it is about a call
  bool blocks;                     // a program can keep it from happening
  bool takes_text;                 // what a program prints is for the model
  std::chrono::milliseconds time;  // that a program may take, unless it says otherwise
};

std::span<const EventFacts> events();
const EventFacts& facts_about(Event event);
inline std::string_view name(Event event) { return facts_about(event).name; }
std::optional<Event> parse_event(std::string_view name);

// What all programs together may take when a session ends.
inline constexpr std::chrono::milliseconds time_at_end{1'500};

// What is called instead of a program: it gets the same input, and returns what a program would
// print. Any thread may call it; it must return soon after `stopped` says so.
using HookCallback = std::function<process::CommandEnd(
    const JsonText& input, std::chrono::milliseconds time, const std::function<bool()>& stopped)>;

struct HookDefinition {
  Event event = Event::session_start;
  std::string matcher{};    // of the event's subject; empty: all
  std::string condition{};  // a rule, as permissions are written; empty: all
  std::string command{};    // for a shell, or a program if there are `words`
  std::optional<std::vector<std::string>> words{};  // the program's arguments: no shell
  HookCallback callback{};                          // empty: `command` is run
  std::chrono::milliseconds time{};                 // 0: as the event has it
  bool block_on_failure = false;  // a program that fails counts as one that blocks
  bool for_claude = false;        // written for Claude Code: it gets Claude's names of things
  bool of_project = false;        // it came with the workspace
  std::string file{};             // where it is written

  std::chrono::milliseconds time_limit() const {
    return time.count() > 0 ? time : facts_about(event).time;
  }
};
std::string shown(const HookDefinition& definition);  // the command and its arguments, in a line

// Whether a matcher covers one of the names that its subject goes by. Empty or `*`: all of them.
// Words with `|` or `,` between them: these names. Anything else: a regular expression, found
// anywhere; one that is wrong matches everything, for a guard must not fall asleep over a typo.
bool matches(std::string_view matcher, const std::vector<std::string>& names);

// The `hooks` member of a file as Claude Code writes it.
struct ReadHooks {
  std::vector<HookDefinition> definitions{};
  std::vector<std::string> remarks{};  // what is passed over, and why
  std::string trouble{};               // why nothing of the file could be read
  JsonText text{};                     // of the member alone, as it was judged; empty: none
};
ReadHooks read_claude_hooks(std::string_view json, const std::string& file, bool of_project);

// What Claude Code calls our tools and their arguments, there and back, for scripts that were
// written for it.
std::string claude_name(std::string_view tool);  // ours, if it has none for it
// All the names a matcher may mean it by; our own first.
std::vector<std::string> names_of(std::string_view tool);

// A call's input with its members renamed, and paths from the root of the file system.
JsonText input_for_claude(std::string_view tool, const JsonText& input,
                          const std::string& workspace);
JsonText input_from_claude(std::string_view tool, const JsonText& input);

// What a call came to, in the form of the tool that Claude Code has for it.
JsonText response_for_claude(std::string_view tool, const JsonText& input, const std::string& text,
                             const std::string& workspace);

}  // namespace skein::hooks
