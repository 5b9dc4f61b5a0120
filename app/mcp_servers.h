// Which servers are there for the model's tools: those of the configuration, of .mcp.json in the
// workspace, and of --mcp-config.
#pragma once

#include <string>
#include <vector>

#include "app/cli.h"
#include "app/config.h"
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
Servers configured_servers(const Invocation& invocation, const Config& config,
                           const std::string& workspace, const catalog::Catalog& catalog);

// Starts servers of this machine and asks those elsewhere; to be called on the first thread.
mcp::OpenChannel open_channels(const std::string& workspace);

// Shows the servers that came with a workspace and asks, once, whether they may run. To be called
// only at a terminal with a user.
void offer_servers(const std::string& workspace);
// `skein trust`: whether there is such a file, which is trusted from now on, or no longer.
bool trust_servers(const std::string& workspace, bool trusted);

}  // namespace skein::app
