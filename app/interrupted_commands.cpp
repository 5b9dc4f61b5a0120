#include "app/interrupted_commands.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "app/home.h"
#include "app/trust.h"
#include "core/text/text.h"
#include "core/tools/diff.h"
#include "core/tools/sandbox/interrupted.h"
#include "repl/layout/sanitize.h"

namespace skein::app {

using tools::sandbox::Guard, tools::sandbox::InterruptedCommand;

namespace {

constexpr std::size_t most_shown = 2'000;  // bytes of the difference of one file
constexpr std::size_t most_files = 20;

void say(const std::string& text) { std::fputs(layout::sanitized(text).c_str(), stderr); }

std::string_view name(Guard::Change::Kind kind) {
  using Kind = Guard::Change::Kind;
  return kind == Kind::added ? "new" : kind == Kind::removed ? "removed" : "changed";
}

std::string shown(const std::vector<Guard::Change>& changes) {
  std::string out;
  for (const Guard::Change& each : changes) {
    if (&each == changes.data() + most_files)
      return out + "  and " + std::to_string(changes.size() - most_files) + " more\n";
    out += "  " + each.path + " (" + std::string(name(each.kind)) + ")\n";
    out += tools::unified_diff(each.before, each.now, each.path, most_shown);
  }
  return out;
}

void settle(InterruptedCommand& command, bool ask) {
  const std::string happened =
      "skein was killed while a command was running in " + listed(command.areas());
  if (!command.report().empty()) {
    say("skein: " + happened + "; " + command.report() + "\n");
    return command.forget();
  }
  say("skein: " + happened +
      ", and so was the supervisor of the command. Since it started, these files have changed, "
      "which other programs run automatically:\n" +
      shown(command.changes()));
  if (!ask)
    return say(
        "skein: nothing was restored, because you may have changed them; start skein at a "
        "terminal to decide\n");
  const std::optional<bool> agreed =
      answered("Restore them? What is there now is moved to quarantine. [y/N] › ");
  if (!agreed) return;
  if (*agreed) say("skein: " + command.undo() + "\n");
  command.forget();
}

}  // namespace

std::string command_records() {
  const std::string state = state_folder();
  return state.empty() ? "" : state + "/commands";
}

void settle_interrupted_commands(bool ask) {
  for (InterruptedCommand& command : tools::sandbox::interrupted_commands(command_records()))
    settle(command, ask);
}

}  // namespace skein::app
