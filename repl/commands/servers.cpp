// /mcp: the servers that bring tools.
#include <string>
#include <string_view>
#include <vector>

#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/layout/table.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

constexpr std::string_view server_actions[] = {"reconnect", "enable", "disable"};

}  // namespace

void show_servers(Session& session, std::string_view change) {
  if (!trimmed(change).empty()) {
    const auto [what, name] = first_word(trimmed(change));
    return session.screen().print_untrusted(session.services().change_server(what, trimmed(name)));
  }
  const std::vector<session::ServerLine> servers = session.services().servers();
  if (servers.empty())
    return session.screen().print(
        "No MCP server is configured. `skein mcp add NAME -- COMMAND` adds one; a workspace may "
        "name some in .mcp.json.\n");
  layout::Table table{.columns = {{"server"},
                                  {"state"},
                                  {"tools", true},
                                  {"tokens", true, true},
                                  {"from", false, true},
                                  {"what", false, true}}};
  for (const session::ServerLine& each : servers)
    table.rows.push_back({each.name, each.trouble.empty() ? each.state : "failed", each.tools,
                          each.tokens, each.source, each.place});
  session.screen().show(table);
  // A reason seldom fits into a column.
  for (const session::ServerLine& each : servers)
    if (!each.trouble.empty())
      session.screen().print_untrusted("  " + each.name + ": " + each.trouble + "\n");
}

std::vector<std::string> server_words(Session& session, std::string_view start) {
  std::vector<std::string> out;
  const auto add = [&](std::string word) {
    if (word.starts_with(start)) out.push_back(std::move(word));
  };
  for (const std::string_view action : server_actions)
    if (start.find(' ') == std::string_view::npos)
      add(std::string(action) + " ");
    else
      for (const session::ServerLine& each : session.services().servers())
        add(std::string(action) + " " + each.name);
  return out;
}

}  // namespace skein::commands
