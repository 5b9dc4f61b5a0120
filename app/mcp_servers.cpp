#include "app/mcp_servers.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "app/trust.h"
#include "core/mcp/stdio_channel.h"
#include "core/text/sha256.h"
#include "core/text/small_file.h"
#include "core/text/text.h"
#include "core/tools/sandbox/environment.h"
#include "providers/http/address.h"
#include "providers/key_command.h"
#include "providers/mcp/http_channel.h"

namespace skein::app {

using mcp::ServerEntry;

namespace {

std::vector<std::string> names_of(const std::vector<ServerEntry>& entries) {
  std::vector<std::string> names;
  for (const ServerEntry& entry : entries) names.push_back(entry.name);
  return names;
}

std::vector<ServerEntry> shared_servers(ProjectFiles& project,
                                        std::vector<std::string>& notices) try {
  const std::optional<SharedServers> file = shared_servers_file(project);
  if (!file) return {};
  std::vector<ServerEntry> entries =
      mcp::read_servers(file->text, file->path, ServerEntry::Source::workspace);
  const Trust trust = project.trust().of(file->path, sha256_hex(file->text));
  if (trust == Trust::given || entries.empty()) return entries;
  if (trust == Trust::unknown)
    notices.push_back(file->path + " is not trusted; not started: " + listed(names_of(entries)) +
                      " (`skein trust` lets them run)");
  return {};
} catch (const Error& error) {  // somebody else's file is no reason not to start
  notices.emplace_back(error.what());
  return {};
}

mcp::Variables variables_for(const ServerEntry& entry, const std::string& workspace,
                             const std::set<std::string>& key_variables) {
  const bool theirs = entry.source == ServerEntry::Source::workspace;
  return [=](const std::string& name) -> std::optional<std::string> {
    if (name == "SKEIN_PROJECT_DIR") return workspace;
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    // The same key may be there by another name.
    const bool is_key = std::ranges::any_of(key_variables, [&](const std::string& each) {
      return each == name || (*value != '\0' && env(each.c_str()) == value);
    });
    if (theirs && is_key) return std::nullopt;
    return std::string(value);
  };
}

std::string printed_by(const std::string& command, const std::function<bool()>& stopped) {
  return providers::KeyCommand(command, providers::KeyCommand::Place::own_group)
      .first_line(stopped);
}

// Asked for on a thread of the channel's.
http::HttpHeaders headers_of(const ServerEntry& entry, const std::function<bool()>& stopped) {
  if (!entry.headers.empty() && http::is_in_clear(entry.url))
    throw Error("others could read its headers on the way: use https://");
  http::HttpHeaders out;
  for (const auto& [name, value] : entry.headers) {
    const bool printed = value.starts_with('!');
    out.emplace_back(lower(name), printed ? printed_by(value.substr(1), stopped) : value);
  }
  return out;
}

}  // namespace

std::optional<SharedServers> shared_servers_file(const ProjectFiles& project) {
  const project::Places& places = project.places();
  const std::string path = project::followed(places.workspace + "/.mcp.json", places);
  if (path.empty() || !path.starts_with(places.root() + "/")) return std::nullopt;
  const std::optional<std::string> text = file_text(path);
  return text ? std::optional(SharedServers{path, *text}) : std::nullopt;
}

Servers configured_servers(const Invocation& invocation, const config::Config& config,
                           ProjectFiles& project, const catalog::Catalog& catalog) {
  const std::string workspace = project.places().workspace;
  Servers out;
  std::map<std::string, ServerEntry> all;
  const auto add = [&](ServerEntry entry) { all.insert_or_assign(entry.name, std::move(entry)); };
  if (!invocation.strict_mcp_config) {
    for (ServerEntry& entry : shared_servers(project, out.notices)) add(std::move(entry));
    for (const auto& [name, entry] : config.servers) add(entry);
  }
  for (const std::string& file : invocation.mcp_config) {
    const std::optional<std::string> text = file_text(file);
    if (!text) throw Error("cannot read " + file + ", which --mcp-config names", ExitStatus::usage);
    for (ServerEntry& entry : mcp::read_servers(*text, file, ServerEntry::Source::flag))
      add(std::move(entry));
  }
  const std::vector<std::string> listed_keys = catalog.key_variables();
  const std::set<std::string> keys(listed_keys.begin(), listed_keys.end());
  for (auto& [name, entry] : all) {
    ServerEntry filled = mcp::expanded(entry, variables_for(entry, workspace, keys));
    if (!filled.trouble.empty() && filled.enabled)
      out.notices.push_back("the MCP server " + name + " in " + filled.file +
                            " is left out: " + filled.trouble);
    out.entries.push_back(std::move(filled));
  }
  return out;
}

mcp::OpenChannel open_channels(const std::string& workspace) {
  const mcp::StdioChannel::Surroundings around{.environment = tools::sandbox::own_environment(),
                                               .workspace = workspace,
                                               .home = user_home()};
  return [around](const ServerEntry& entry,
                  mcp::Channel::Events events) -> std::unique_ptr<mcp::Channel> {
    if (entry.over_http())
      return std::make_unique<mcp::HttpChannel>(
          entry.url,
          [entry](const std::function<bool()>& stopped) { return headers_of(entry, stopped); },
          std::move(events));
    return std::make_unique<mcp::StdioChannel>(entry, around, std::move(events));
  };
}

}  // namespace skein::app
