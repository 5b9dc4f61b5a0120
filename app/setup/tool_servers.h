// The web pages and the MCP servers of an invocation. The servers start in the background, and what
// they bring is taken over when a turn begins.
#pragma once

#include "app/config/config.h"
#include "app/invocation/cli.h"
#include "app/setup/model_access.h"
#include "app/setup/project_files.h"
#include "core/agent/turn.h"
#include "core/mcp/channel.h"
#include "core/mcp/hub.h"
#include "core/mcp/server_entry.h"
#include "core/model/attachments.h"
#include "core/model/tool.h"
#include "core/project/own_commands.h"
#include "core/web/url.h"
#include "providers/catalog/catalog.h"
#include "repl/session/services.h"

namespace skein::web {
class Fetcher;
}  // namespace skein::web

namespace skein::app {

// Which servers are there for the model's tools: those of the configuration, of .mcp.json in the
// workspace, and of --mcp-config.
struct Servers {
  std::vector<mcp::ServerEntry> entries{};  // variables are filled in
  std::vector<std::string> notices{};       // what was passed over, and why
};
// A server of --mcp-config has precedence over the user's own, and that over one that came with the
// workspace. Throws Error (usage) if a file that was named cannot be read.
Servers configured_servers(const Invocation& invocation, const config::Config& config,
                           ProjectFiles& project, const catalog::Catalog& catalog);

// The file by which a workspace brings servers along; none: there is none, or it leads out of the
// project.
struct SharedServers {
  std::string path, text;
};
std::optional<SharedServers> shared_servers_file(const ProjectFiles& project);

// Starts servers of this machine and asks those elsewhere; to be called on the first thread.
mcp::OpenChannel open_channels(const std::string& workspace, const ClientParts* client = nullptr);

class ToolServers {
 public:
  struct Parts {
    std::string workspace{};
    bool for_script = false;  // no user waits at a prompt
    const ModelAccess& models;
    const ClientParts* client = nullptr;  // runs some of the servers itself; may be null
  };
  void start(const std::vector<mcp::ServerEntry>& entries, Parts parts);

  // What they bring, if it is not what was taken the last time. Waits, once, for those that are
  // still starting.
  std::optional<model::Tools> take_tools(const model::Ports& ports);
  // A hash of what a server says of its tool, by our name for it; empty: there is none.
  std::string definition(const std::string& tool) const;
  void add_texts(agent::Settings& settings) const;  // what they say about their tools
  // The message that a prompt of theirs becomes; nullopt: there is none of that name.
  std::optional<project::RenderedCommand> rendered(std::string_view name,
                                                   std::string_view arguments,
                                                   const model::Ports& ports,
                                                   const model::ToolPorts& asking);
  // What SERVER:URI leads to; nullopt: nowhere.
  std::optional<model::Fetched> fetched(const std::string& name, const model::ToolPorts& asking);
  mcp::Hub* hub() { return hub_.get(); }  // null: there are none

 private:
  void wait(const model::Ports& ports);

  bool for_script_ = false, waited_ = false;
  std::int64_t taken_changes_ = -1;
  std::unique_ptr<mcp::Hub> hub_{};  // null: there are none
};

// Pages of the web: for the model by its tool, for the user by /web and @https://….
class WebPages {
 public:
  explicit WebPages(const config::Config& config) : config_(config) {}

  model::Tool tool();
  // The user has typed this: the addresses in it may be fetched in that session.
  void note_typed(Id session, std::string_view text);
  std::function<bool(const std::string& url)> typed_in(Id session) const;
  // What is at an address the user has named; nullopt: the name is none. Throws Error.
  std::optional<model::Fetched> fetched(const std::string& name, const session::CommandPorts& ports,
                                        model::ToolPorts asking);

 private:
  const config::Config& config_;
  std::map<Id, web::TypedUrls> typed_{};     // by session
  std::shared_ptr<web::Fetcher> fetcher_{};  // the copies of its tool have it too
};

}  // namespace skein::app
