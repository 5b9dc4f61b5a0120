// skein mcp: which servers there are, and changes to the user's own.
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/edit.h"
#include "app/config/file.h"
#include "app/home.h"
#include "app/load_config.h"
#include "app/mcp_servers.h"
#include "app/signals.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/mcp/hub.h"
#include "core/mcp/remote_tools.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/small_file.h"
#include "core/text/text.h"
#include "repl/screen/screen.h"

namespace skein::verbs {

using mcp::Client, mcp::Hub, mcp::ServerEntry;

namespace {

constexpr std::chrono::seconds patience{30};

app::Servers servers_of(const app::Invocation& invocation) {
  catalog::Catalog catalog;
  const std::string workspace = app::workspace_folder(invocation);
  const config::Config config = app::load_config(invocation, workspace, catalog);
  app::ProjectFiles project(app::places_around(workspace));
  return app::configured_servers(invocation, config, project, catalog);
}

Hub::Parts hub_parts(const app::Invocation& invocation) {
  const std::string workspace = app::workspace_folder(invocation);
  return {.open = app::open_channels(workspace), .workspace = workspace, .version = SKEIN_VERSION};
}

Json row_json(const Hub::Row& row) {
  return {{"name", row.name},   {"state", row.state}, {"ok", row.good},
          {"tools", row.tools}, {"from", row.source}, {"what", row.place}};
}

// What cannot be read must not be written anew: it would be all that is left.
std::string config_text(const std::string& file) {
  const std::optional<std::string> text = file_text(file);
  if (!text && errno != ENOENT)
    throw Error("cannot read " + file + ": " + std::strerror(errno), ExitStatus::usage);
  return text.value_or("");
}

// The servers that a text of the user's configuration names. Throws Error if it is not understood.
std::map<std::string, ServerEntry> servers_in(const std::string& file, const std::string& text) {
  catalog::Catalog catalog;
  config::Config config;
  config::File read(file, text, config::Writer::user);
  read.apply({config, catalog});
  if (const std::vector<std::string> troubles = read.troubles(); !troubles.empty())
    throw Error(troubles.front(), ExitStatus::usage);
  return config.servers;
}

std::string names_text(const std::map<std::string, std::string>& pairs) {
  std::vector<std::string> names;
  for (const auto& [name, value] : pairs) names.push_back(name);
  return listed(names);
}

std::map<std::string, std::string> pairs_in(const std::string& text) {
  std::map<std::string, std::string> out;
  for (const std::string_view each : split(text, ',')) {
    const std::size_t equals = each.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw Error("--env takes NAME=value, or several with commas between", ExitStatus::usage);
    out[std::string(trimmed(each.substr(0, equals)))] = each.substr(equals + 1);
  }
  return out;
}

}  // namespace

// skein mcp list
int list_servers(const app::Invocation& invocation) {
  app::catch_signals();
  const app::Servers servers = servers_of(invocation);
  for (const std::string& text : servers.notices) tell_user(text);
  if (servers.entries.empty() && !invocation.has("--json")) {
    print_line("no MCP server is configured; `skein mcp add NAME -- COMMAND` adds one");
    return 0;
  }
  Hub hub(servers.entries, hub_parts(invocation));
  hub.start();
  hub.wait(patience, model::Ports{.stop = &app::stop_asked()});
  bool good = true;
  Json out = Json::array();
  layout::Table table{.columns = {{"server"}, {"state"}, {"tools", true}, {"from"}, {"what"}}};
  for (const Hub::Row& row : hub.rows()) {
    good = good && row.good;
    out.push_back(row_json(row));
    table.rows.push_back({row.name, row.state, std::to_string(row.tools), row.source, row.place});
  }
  if (invocation.has("--json"))
    print_json(dump(out));
  else
    print_styled(trimmed(layout::drawn(table, 0, {}), "\n"));
  return good ? 0 : static_cast<int>(ExitStatus::turn);
}

// skein mcp get NAME. Values of variables are not shown: they may be keys.
int show_server(const app::Invocation& invocation) {
  app::catch_signals();
  const std::string& name = invocation.arguments.at(0);
  const app::Servers servers = servers_of(invocation);
  const auto found = std::ranges::find(servers.entries, name, &ServerEntry::name);
  if (found == servers.entries.end())
    throw Error("no MCP server is called " + name + "; `skein mcp list` lists them",
                ExitStatus::usage);
  Hub hub({*found}, hub_parts(invocation));
  hub.start();
  hub.wait(patience, model::Ports{.stop = &app::stop_asked()});
  const Hub::Row row = hub.rows().front();
  const Client::View view = hub.find(name)->view();
  std::vector<std::string> notices;
  const model::Tools tools = hub.tools(notices);
  if (invocation.has("--json")) {
    Json out = row_json(row);
    out["file"] = found->file;
    out["protocol"] = view.protocol;
    out["tools"] = Json::array();
    for (const model::Tool& tool : tools)
      out["tools"].push_back({{"name", tool.name}, {"description", tool.description}});
    print_json(dump(out));
    return row.good ? 0 : static_cast<int>(ExitStatus::turn);
  }
  print_line(name + ": " + row.state);
  print_line("  what  " + row.place);
  print_line("  from  " + found->file);
  if (!found->environment.empty()) print_line("  env   " + names_text(found->environment));
  if (!found->headers.empty()) print_line("  sends " + names_text(found->headers));
  for (const model::Tool& tool : tools)
    print_line("  tool  " + tool.name + "  " +
               tool.description.substr(0, tool.description.find_first_of(".\n")));
  const model::Ports waiting{.stop = &app::stop_asked()};
  if (row.good && hub.server_of_prompt("mcp__" + name + "__", waiting) != nullptr)
    for (const mcp::PromptCommand& prompt : hub.prompts())
      print_line("  prompt  /" + prompt.name + (prompt.hint.empty() ? "" : " " + prompt.hint));
  for (const std::string& text : notices) tell_user(text);
  if (!row.good && !trimmed(view.diagnostics).empty())
    print_line("its standard error:\n" + std::string(trimmed(view.diagnostics)));
  return row.good ? 0 : static_cast<int>(ExitStatus::turn);
}

// skein mcp add NAME -- COMMAND ARGUMENT…
int add_server(const app::Invocation& invocation) {
  ServerEntry entry{.name = invocation.arguments.at(0)};
  if (invocation.arguments.size() > 1) entry.command = invocation.arguments[1];
  if (invocation.arguments.size() > 2)
    entry.arguments.assign(invocation.arguments.begin() + 2, invocation.arguments.end());
  entry.environment = pairs_in(invocation.value("--env"));
  entry.url = invocation.value("--url");
  if (const std::string header = invocation.value("--header"); !header.empty()) {
    const std::size_t colon = header.find(':');
    if (colon == std::string::npos)
      throw Error("--header takes NAME:VALUE, as in 'Authorization: Bearer ${TOKEN}'",
                  ExitStatus::usage);
    entry.headers[std::string(trimmed(header.substr(0, colon)))] =
        trimmed(header.substr(colon + 1));
  }
  std::string trouble = mcp::trouble_with_name(entry.name);
  if (trouble.empty() && entry.command.empty() && entry.url.empty())
    trouble = "say what to start: skein mcp add " + entry.name + " -- COMMAND ARGUMENT…";
  if (trouble.empty()) trouble = mcp::trouble_with(entry);
  if (!trouble.empty()) throw Error(trouble, ExitStatus::usage);
  const std::string file = app::writable_config_file();
  const std::string text = config_text(file);
  if (servers_in(file, text).contains(entry.name))
    throw Error(file + " has a server " + entry.name + " already; `skein mcp remove " + entry.name +
                    "` takes it out",
                ExitStatus::usage);
  const std::string changed = config::with_server(text, entry);
  servers_in(file, changed);  // what we write can be read
  config::write_config(file, changed);
  print_line("added to " + file + "; `skein mcp get " + entry.name + "` tries it");
  return 0;
}

// skein mcp remove NAME
int remove_server(const app::Invocation& invocation) {
  const std::string& name = invocation.arguments.at(0);
  const std::string file = app::writable_config_file();
  const std::string text = config_text(file);
  if (!servers_in(file, text).contains(name))
    throw Error(file + " names no server " + name, ExitStatus::usage);
  const std::string changed = config::without_server(text, name);
  if (servers_in(file, changed).contains(name))
    throw Error("mcp." + name + " is not written as a table [mcp." + name + "] in " + file +
                    "; take it out with an editor",
                ExitStatus::usage);
  config::write_config(file, changed);
  print_line("removed from " + file);
  return 0;
}

}  // namespace skein::verbs
