#include "app/tool_servers.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "app/mcp_servers.h"
#include "app/web_pages.h"
#include "core/mcp/prompts.h"
#include "core/mcp/resource_tools.h"
#include "core/model/entry.h"
#include "core/model/tokens.h"
#include "core/project/command_text.h"
#include "core/text/amounts.h"
#include "core/text/sha256.h"
#include "core/text/text.h"

namespace skein::app {

using model::Notice;
using std::chrono::milliseconds;

namespace {

// The prompt is drawn first; on a busy machine a server's start would delay it.
constexpr milliseconds before_servers{30};
// How long the first turn waits for servers that are still starting, and how long it says nothing.
constexpr milliseconds patience_of_user{5'000}, patience_of_script{30'000}, silence{300};

agent::Surrounding told_by(const std::string& server, const std::string& text) {
  return {"the text of the MCP server " + server, text, true};
}

}  // namespace

void ToolServers::start(const std::vector<mcp::ServerEntry>& entries, Parts parts) {
  for_script_ = parts.for_script;
  // A tenth of the window, at four bytes to a token.
  const auto direct_bytes = [window = std::move(parts.window)] { return window() * 4 / 10; };
  hub_ = std::make_unique<mcp::Hub>(
      entries, mcp::Hub::Parts{.open = open_channels(parts.workspace),
                               .workspace = parts.workspace,
                               .version = SKEIN_VERSION,
                               .delay = for_script_ ? milliseconds{0} : before_servers,
                               .direct_bytes = direct_bytes});
  hub_->start();
}

// Once: a server that is not there by then joins later, as everything that changes does.
void ToolServers::wait(const model::Ports& ports) {
  if (std::exchange(waited_, true)) return;
  const milliseconds patience = for_script_ ? patience_of_script : patience_of_user;
  std::vector<std::string> missing = hub_->wait(silence, ports);
  if (!missing.empty() && !ports.stopped()) {
    ports.sink(
        Notice{Notice::Level::info, "waiting for the MCP servers that start: " + listed(missing)});
    missing = hub_->wait(patience - silence, ports);
  }
  if (!missing.empty() && !ports.stopped())
    ports.sink(Notice{Notice::Level::warning, "going on without what is not there after " +
                                                  short_duration(patience.count()) + ": " +
                                                  listed(missing) + " (/mcp shows it)"});
  for (const mcp::Hub::Row& row : hub_->rows())
    if (row.failed)
      ports.sink(Notice{Notice::Level::warning, "the MCP server " + row.name + " " + row.state});
}

std::optional<model::Tools> ToolServers::take_tools(const model::Ports& ports) {
  if (!hub_) return std::nullopt;
  wait(ports);
  const std::int64_t now = hub_->changes();
  if (std::exchange(taken_changes_, now) == now) return std::nullopt;
  std::vector<std::string> notices;
  model::Tools out = hub_->tools(notices);
  for (std::string& text : notices) ports.sink(Notice{Notice::Level::warning, std::move(text)});
  return out;
}

std::string ToolServers::definition(const std::string& tool) const {
  return hub_ ? hub_->definition(tool) : std::string{};
}

void ToolServers::add_texts(agent::Settings& settings) const {
  if (!hub_) return;
  settings.servers = hub_->identities();
  for (const auto& [server, text] : hub_->instructions()) {
    const agent::Surrounding told = told_by(server, text);
    settings.system += "\n\n# " + told.name +
                       "\n\nIt is not the user who says this, but the server about its tools:\n\n" +
                       told.text;
    settings.surroundings.push_back(told);
  }
}

std::optional<project::RenderedCommand> ToolServers::rendered(std::string_view name,
                                                              std::string_view arguments,
                                                              const model::Ports& ports,
                                                              const model::ToolPorts& asking) {
  mcp::Client* server = hub_ ? hub_->server_of_prompt(name, ports) : nullptr;
  if (server == nullptr) return std::nullopt;
  const std::vector<mcp::PromptCommand> commands = mcp::prompt_commands(*server);
  const auto command = std::ranges::find(commands, name, &mcp::PromptCommand::name);
  if (command == commands.end()) return std::nullopt;
  std::vector<std::string> words = project::split_words(arguments);
  if (command->prompt.arguments.size() == 1 && !words.empty())
    words = {std::string(trimmed(arguments))};
  mcp::PromptText made = mcp::prompt_text(*server, *command, words, asking);
  project::RenderedCommand out{.text = std::move(made.text), .images = std::move(made.images)};
  out.meta = model::command_meta(command->name, std::string(arguments),
                                 "mcp:" + server->entry().name, sha256_hex(out.text));
  return out;
}

std::optional<model::Fetched> ToolServers::fetched(const std::string& name,
                                                   const model::ToolPorts& asking) {
  const std::size_t colon = name.find(':');
  if (!hub_ || colon == std::string::npos || colon + 1 == name.size()) return std::nullopt;
  mcp::Client* server = hub_->find(std::string_view(name).substr(0, colon));
  if (server == nullptr || !hub_->is_on(*server)) return std::nullopt;
  return attached(name, mcp::read_resource(*server, name.substr(colon + 1), asking));
}

void ToolServers::offer(session::Services& services) {
  services.server_prompts = [this] {
    std::vector<session::ServerPrompt> out;
    if (hub_)
      for (const mcp::PromptCommand& each : hub_->prompts())
        out.push_back({each.name, each.hint, each.description});
    return out;
  };
  services.server_resources = [this] {
    return hub_ ? hub_->resources() : std::vector<std::string>{};
  };
  services.servers = [this] {
    std::vector<session::ServerLine> out;
    if (!hub_) return out;
    for (const mcp::Hub::Row& row : hub_->rows())
      out.push_back({row.name, row.state, std::to_string(row.tools),
                     short_count(row.schema_bytes / 4), row.source, row.place,
                     row.good || row.waiting ? "" : row.state});
    return out;
  };
  services.change_server = [this](std::string_view what, std::string_view name) {
    mcp::Client* server = hub_ ? hub_->find(name) : nullptr;
    if (server == nullptr) throw Error("no MCP server is called " + std::string(name));
    if (!server->entry().trouble.empty())
      throw Error(std::string(name) + " cannot be used: " + server->entry().trouble);
    if (what == "reconnect")
      hub_->reconnect(*server);
    else if (what == "enable" || what == "disable")
      hub_->set_enabled(*server, what == "enable");
    else
      throw Error("say /mcp reconnect, enable or disable, and a server's name");
    return what == "disable" ? std::string(name) +
                                   " is disabled until skein ends; its tools are gone "
                                   "with the next message\n"
                             : std::string(name) + " is starting; /mcp shows when it is there\n";
  };
}

}  // namespace skein::app
