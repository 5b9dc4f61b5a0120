// Which servers are there for the model's tools: those of the configuration, of .mcp.json in the
// workspace, and of --mcp-config.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/load_config.h"
#include "app/project_files.h"
#include "core/mcp/channel.h"
#include "core/mcp/server_entry.h"
#include "providers/catalog/catalog.h"

namespace skein::app {

struct Servers {
  std::vector<mcp::ServerEntry> entries{};  // variables are filled in
  std::vector<std::string> notices{};       // what was passed over, and why
};
// To be called while the environment still holds the keys. A server of --mcp-config stands above
// the user's own, and that above one that came with the workspace. Throws Error (usage) if a file
// that was named cannot be read.
Servers configured_servers(const Invocation& invocation, const config::Config& config,
                           ProjectFiles& project, const catalog::Catalog& catalog);

// The file by which a workspace brings servers along; none: there is none, or it leads out of the
// project.
struct SharedServers {
  std::string path, text;
};
std::optional<SharedServers> shared_servers_file(const ProjectFiles& project);

// Starts servers of this machine and asks those elsewhere; to be called on the first thread.
mcp::OpenChannel open_channels(const std::string& workspace);

}  // namespace skein::app
