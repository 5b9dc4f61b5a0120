// /hooks: the programs that are run at fixed points of a session.
#include <string>
#include <string_view>
#include <vector>

#include "core/text/amounts.h"
#include "repl/commands/handlers.h"
#include "repl/layout/table.h"
#include "repl/session/session.h"

namespace skein::commands {

void show_hooks(Session& session, std::string_view) {
  const std::vector<session::HookLine> hooks = session.services().hooks();
  if (hooks.empty())
    return session.screen().print(
        "There are no hooks. A [[hooks.EVENT]] table in your configuration names a program to be "
        "run at an event; `skein help config` says how.\n");
  layout::Table table{.columns = {{"event"},
                                  {"for", false, true},
                                  {"program", false, true},
                                  {"from"},
                                  {"run", true},
                                  {"last exit"},
                                  {"took", true}}};
  for (const session::HookLine& each : hooks)
    table.rows.push_back({each.event, each.matcher.empty() ? "all" : each.matcher, each.command,
                          each.of_project ? "project" : "you", std::to_string(each.runs),
                          each.last_exit, each.runs == 0 ? "" : short_duration(each.last_ms)});
  session.screen().show(table);
  std::string last;
  for (const session::HookLine& each : hooks)
    if (each.file != last) session.screen().print_untrusted("  " + (last = each.file) + "\n");
  for (const session::HookLine& each : hooks)
    if (!each.trouble.empty())
      session.screen().print_untrusted("  " + each.event + " `" + each.command +
                                       "`: " + each.trouble + "\n");
}

}  // namespace skein::commands
