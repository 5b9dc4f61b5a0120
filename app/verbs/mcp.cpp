// skein mcp: which servers there are, and changes to the user's own.

#include "app/config/file.h"
#include "app/invocation/signals.h"
#include "app/setup/load_config.h"
#include "app/setup/tool_servers.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/mcp/hub.h"
#include "core/mcp/remote_tools.h"
#include "core/mcp/server_entry.h"
#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/screen/screen.h"

namespace skein::verbs {

using mcp::Client, mcp::Hub, mcp::ServerEntry;

namespace {

namespace fs = std::filesystem;

using Pairs = std::map<std::string, std::string>;

std::string words_text(const std::vector<std::string>& words) {
  return "[" + listed(words, ", ", json_string) + "]";
}

std::string pairs_text(const Pairs& pairs) {
  const auto shown = [](const auto& pair) {
    return json_string(pair.first) + " = " + json_string(pair.second);
  };
  return "{ " + listed(pairs, ", ", shown) + " }";
}

// Whether a line begins a table of this server: [mcp.x], [mcp."x"], [mcp.x.env].
bool begins_server(std::string_view line, const std::string& name) {
  line = trimmed(line);
  for (const std::string& spelled :
       {"[mcp." + name, "[mcp.\"" + name + "\"", "[mcp.'" + name + "'"})
    if (line.starts_with(spelled) && line.size() > spelled.size() &&
        (line[spelled.size()] == ']' || line[spelled.size()] == '.'))
      return true;
  return false;
}

// `text` with a table for this server at its end.
std::string with_server(const std::string& text, const mcp::ServerEntry& entry) {
  std::string out = text;
  if (!out.empty()) out += out.ends_with('\n') ? "\n" : "\n\n";
  out += "[mcp." + entry.name + "]\n";
  if (!entry.command.empty()) out += "command = " + json_string(entry.command) + "\n";
  if (!entry.arguments.empty()) out += "args = " + words_text(entry.arguments) + "\n";
  if (!entry.environment.empty()) out += "env = " + pairs_text(entry.environment) + "\n";
  if (!entry.url.empty()) out += "url = " + json_string(entry.url) + "\n";
  if (!entry.headers.empty()) out += "headers = " + pairs_text(entry.headers) + "\n";
  return out;
}

// `text` without the tables of this server; unchanged if they are not written as tables.
std::string without_server(const std::string& text, const std::string& name) {
  std::string out, blank;  // blank lines in front of a table go with it
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    at = end;
    if (trimmed(line).empty()) {
      blank += line;
      continue;
    }
    if (trimmed(line).starts_with('[')) {
      const bool was = std::exchange(inside, begins_server(line, name));
      if (was && out.empty()) blank.clear();
    }
    if (!inside) out += blank + line;
    blank.clear();
  }
  return out + (inside ? "" : blank);
}

// Puts the text there, all of it or nothing, readable by the user only if the file is new. Throws
// Error (storage).
void write_config(const std::string& file, const std::string& text) {
  std::error_code ignored;
  const fs::path linked = fs::canonical(file, ignored);  // a link stays one
  const std::string path = linked.empty() ? file : linked.string();
  const fs::file_status before = fs::status(path, ignored);
  if (!replace_small_file(path, text, Lasting::yes))
    throw Error("cannot write " + path + ": " + std::strerror(errno), ExitStatus::storage);
  if (fs::exists(before)) fs::permissions(path, before.permissions(), ignored);
}

app::Servers servers_of(const Invocation& invocation) {
  catalog::Catalog catalog;
  const std::string workspace = app::workspace_folder(invocation);
  const config::Config config = app::load_config(invocation, workspace, catalog);
  app::ProjectFiles project(app::places_around(workspace));
  app::Servers servers = app::configured_servers(invocation, config, project, catalog);
  const std::string line = app::untrusted_line(project.project().untrusted());
  if (!line.empty()) servers.notices.push_back(line);
  return servers;
}

std::unique_ptr<Hub> connected(const Invocation& invocation,
                               const std::vector<ServerEntry>& servers) {
  const std::string workspace = app::workspace_folder(invocation);
  auto hub = std::make_unique<Hub>(servers, Hub::Parts{.open = app::open_channels(workspace),
                                                       .workspace = workspace,
                                                       .version = SKEIN_VERSION});
  hub->start();
  hub->wait(std::chrono::seconds(30), model::Ports{.stop = &app::stop_asked()});
  return hub;
}

Json row_json(const Hub::Row& row) {
  return {{"name", row.name},   {"state", row.state}, {"ok", row.good},
          {"tools", row.tools}, {"from", row.source}, {"what", row.place}};
}

// What cannot be read must not be overwritten: the rest would be lost.
std::string config_text(const std::string& file) {
  const std::optional<std::string> text = file_text(file);
  if (!text && errno != ENOENT)
    throw UsageError("cannot read " + file + ": " + std::strerror(errno));
  return text.value_or("");
}

// The servers that a text of the user's configuration names. Throws Error if it is not understood.
std::map<std::string, ServerEntry> servers_in(const std::string& file, const std::string& text) {
  catalog::Catalog catalog;
  config::Config config;
  config::File read(file, text, config::Writer::user);
  read.apply({config, catalog});
  if (const std::vector<std::string> troubles = read.troubles(); !troubles.empty())
    throw UsageError(troubles.front());
  return config.servers;
}

std::string names_text(const Pairs& pairs) {
  return listed(pairs, ", ", &Pairs::value_type::first);
}

Pairs pairs_in(const std::string& text) {
  Pairs out;
  for (const std::string_view each : split(text, ',')) {
    const std::size_t equals = each.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw UsageError("--env takes NAME=value; separate several with commas");
    out[std::string(trimmed(each.substr(0, equals)))] = each.substr(equals + 1);
  }
  return out;
}

}  // namespace

int list_servers(const Invocation& invocation) {
  app::catch_signals();
  const app::Servers servers = servers_of(invocation);
  for (const std::string& text : servers.notices) tell_user(text);
  if (servers.entries.empty() && !invocation.has("--json")) {
    print_line("no MCP server is configured; `skein mcp add NAME -- COMMAND` adds one");
    return 0;
  }
  const std::unique_ptr<Hub> hub = connected(invocation, servers.entries);
  bool good = true;
  Json out = Json::array();
  layout::Table table{.columns = {{"server"}, {"state"}, {"tools", true}, {"from"}, {"what"}}};
  for (const Hub::Row& row : hub->rows()) {
    good = good && row.good;
    out.push_back(row_json(row));
    table.rows.push_back({row.name, row.state, std::to_string(row.tools), row.source, row.place});
  }
  if (invocation.has("--json"))
    print_json(dump(out));
  else
    print_styled(trimmed(layout::drawn(table, 0, {}), "\n"));
  return good ? 0 : failed_status;
}

// Values of variables are not shown: they may be keys.
int show_server(const Invocation& invocation) {
  app::catch_signals();
  const std::string& name = invocation.arguments.at(0);
  const app::Servers servers = servers_of(invocation);
  const auto found = std::ranges::find(servers.entries, name, &ServerEntry::name);
  if (found == servers.entries.end())
    throw UsageError("there is no MCP server " + name + "; `skein mcp list` lists them");
  const std::unique_ptr<Hub> hub = connected(invocation, {*found});
  const Hub::Row row = hub->rows().front();
  const Client::View view = hub->find(name)->view();
  std::vector<std::string> notices;
  const model::Tools tools = hub->tools(notices);
  if (invocation.has("--json")) {
    Json out = row_json(row);
    out["file"] = found->file;
    out["protocol"] = view.protocol;
    out["tools"] = Json::array();
    for (const model::Tool& tool : tools)
      out["tools"].push_back({{"name", tool.name}, {"description", tool.description}});
    print_json(dump(out));
    return row.good ? 0 : failed_status;
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
  if (row.good && hub->server_of_prompt("mcp__" + name + "__", waiting) != nullptr)
    for (const mcp::PromptCommand& prompt : hub->prompts())
      print_line("  prompt  /" + prompt.name + (prompt.hint.empty() ? "" : " " + prompt.hint));
  for (const std::string& text : notices) tell_user(text);
  if (!row.good && !trimmed(view.diagnostics).empty())
    print_line("error output:\n" + std::string(trimmed(view.diagnostics)));
  return row.good ? 0 : failed_status;
}

void add_server(const Invocation& invocation) {
  ServerEntry entry{.name = invocation.arguments.at(0)};
  if (invocation.arguments.size() > 1) entry.command = invocation.arguments[1];
  if (invocation.arguments.size() > 2)
    entry.arguments.assign(invocation.arguments.begin() + 2, invocation.arguments.end());
  entry.environment = pairs_in(invocation.value("--env"));
  entry.url = invocation.value("--url");
  if (const std::string header = invocation.value("--header"); !header.empty()) {
    const std::size_t colon = header.find(':');
    if (colon == std::string::npos)
      throw UsageError("--header takes NAME:VALUE, as in 'Authorization: Bearer ${TOKEN}'");
    entry.headers[std::string(trimmed(header.substr(0, colon)))] =
        trimmed(header.substr(colon + 1));
  }
  std::string trouble = mcp::trouble_with_name(entry.name);
  if (trouble.empty() && entry.command.empty() && entry.url.empty())
    trouble = "no command given: skein mcp add " + entry.name + " -- COMMAND ARGUMENT…";
  if (trouble.empty()) trouble = mcp::trouble_with(entry);
  if (!trouble.empty()) throw UsageError(trouble);
  const std::string file = app::writable_config_file();
  const std::string text = config_text(file);
  if (servers_in(file, text).contains(entry.name))
    throw UsageError(file + " already has a server " + entry.name + "; `skein mcp remove " +
                     entry.name + "` removes it");
  const std::string changed = with_server(text, entry);
  servers_in(file, changed);  // what we write can be read
  write_config(file, changed);
  print_line("added to " + file + "; `skein mcp get " + entry.name + "` tests it");
}

void remove_server(const Invocation& invocation) {
  const std::string& name = invocation.arguments.at(0);
  const std::string file = app::writable_config_file();
  const std::string text = config_text(file);
  if (!servers_in(file, text).contains(name)) throw UsageError(file + " has no server " + name);
  const std::string changed = without_server(text, name);
  if (servers_in(file, changed).contains(name))
    throw UsageError("mcp." + name + " is not written as a table [mcp." + name + "] in " + file +
                     "; remove it with an editor");
  write_config(file, changed);
  print_line("removed from " + file);
}

}  // namespace skein::verbs
