// How an Application works with MCP servers: they start in the background, and what they bring is
// taken over when a turn begins.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "app/application.h"
#include "app/mcp_servers.h"
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

void Application::start_servers(const std::vector<mcp::ServerEntry>& entries) {
  servers_ = std::make_unique<mcp::Hub>(
      entries, mcp::Hub::Parts{.open = open_channels(workspace_),
                               .workspace = workspace_,
                               .version = SKEIN_VERSION,
                               .delay = invocation_.print ? milliseconds{0} : before_servers,
                               // A tenth of the window, at four bytes to a token.
                               .direct_bytes = [this] { return first_window() * 4 / 10; }});
  servers_->start();
}

// Once: a server that is not there by then joins later, as everything that changes does.
void Application::wait_for_servers(const model::Ports& ports) {
  if (std::exchange(waited_, true)) return;
  const milliseconds patience = invocation_.print ? patience_of_script : patience_of_user;
  std::vector<std::string> missing = servers_->wait(silence, ports);
  if (!missing.empty() && !ports.stopped()) {
    ports.sink(
        Notice{Notice::Level::info, "waiting for the MCP servers that start: " + listed(missing)});
    missing = servers_->wait(patience - silence, ports);
  }
  if (!missing.empty() && !ports.stopped())
    ports.sink(Notice{Notice::Level::warning, "going on without what is not there after " +
                                                  short_duration(patience.count()) + ": " +
                                                  listed(missing) + " (/mcp shows it)"});
  for (const mcp::Hub::Row& row : servers_->rows())
    if (row.failed)
      ports.sink(Notice{Notice::Level::warning, "the MCP server " + row.name + " " + row.state});
}

void Application::take_server_tools(const model::Ports& ports) {
  if (!servers_) return;
  wait_for_servers(ports);
  if (const std::int64_t now = servers_->changes(); std::exchange(taken_changes_, now) != now) {
    std::vector<std::string> notices;
    model::Tools theirs = servers_->tools(notices);
    tools_.erase(tools_.begin() + static_cast<std::ptrdiff_t>(own_tools_), tools_.end());
    std::ranges::move(theirs, std::back_inserter(tools_));
    for (std::string& text : notices) ports.sink(Notice{Notice::Level::warning, std::move(text)});
  }
}

void Application::add_server_texts(agent::Settings& settings) const {
  if (!servers_) return;
  settings.servers = servers_->identities();
  for (const auto& [server, text] : servers_->instructions()) {
    const agent::Surrounding told = told_by(server, text);
    settings.system += "\n\n# " + told.name +
                       "\n\nIt is not the user who says this, but the server about its tools:\n\n" +
                       told.text;
    settings.surroundings.push_back(told);
  }
}

model::ToolPorts Application::tool_ports(const model::Ports& ports) {
  model::ToolPorts out;
  out.stopped = [&ports] { return ports.stopped(); };
  out.keep_blob = [this](std::string_view bytes) { return kept(bytes); };
  out.ask = ports.ask;
  out.ask_line = ports.ask_line;
  return out;
}

std::optional<project::RenderedCommand> Application::rendered_prompt(std::string_view name,
                                                                     std::string_view arguments,
                                                                     const model::Ports& ports) {
  mcp::Client* server = servers_ ? servers_->server_of_prompt(name, ports) : nullptr;
  if (server == nullptr) return std::nullopt;
  const std::vector<mcp::PromptCommand> commands = mcp::prompt_commands(*server);
  const auto command = std::ranges::find(commands, name, &mcp::PromptCommand::name);
  if (command == commands.end()) return std::nullopt;
  std::vector<std::string> words = project::split_words(arguments);
  if (command->prompt.arguments.size() == 1 && !words.empty())
    words = {std::string(trimmed(arguments))};
  mcp::PromptText made = mcp::prompt_text(*server, *command, words, tool_ports(ports));
  project::RenderedCommand out{.text = std::move(made.text), .images = std::move(made.images)};
  out.meta = model::command_meta(command->name, std::string(arguments),
                                 "mcp:" + server->entry().name, sha256_hex(out.text));
  return out;
}

std::optional<model::Fetched> Application::fetched(const std::string& name,
                                                   const model::Ports& ports) {
  const std::size_t colon = name.find(':');
  if (!servers_ || colon == std::string::npos || colon + 1 == name.size()) return std::nullopt;
  mcp::Client* server = servers_->find(std::string_view(name).substr(0, colon));
  if (server == nullptr || !servers_->is_on(*server)) return std::nullopt;
  const model::ToolOutcome read =
      mcp::read_resource(*server, name.substr(colon + 1), tool_ports(ports));
  model::Fetched out;
  for (const model::ResultBlock& block : read.content) {
    if (const auto* text = std::get_if<model::Text>(&block)) out.text += text->text;
    if (const auto* image = std::get_if<model::Image>(&block)) out.images.push_back(*image);
  }
  if (read.is_error) throw Error("@" + name + " cannot be read, so nothing was sent: " + out.text);
  return out;
}

void Application::take_services_of_servers(session::Services& services) {
  services.server_prompts = [this] {
    std::vector<session::ServerPrompt> out;
    if (servers_)
      for (const mcp::PromptCommand& each : servers_->prompts())
        out.push_back({each.name, each.hint, each.description});
    return out;
  };
  services.server_resources = [this] {
    return servers_ ? servers_->resources() : std::vector<std::string>{};
  };
  services.fetch = [this](const std::string& name, const model::Ports& ports) {
    return fetched(name, ports);
  };
  services.servers = [this] {
    std::vector<session::ServerLine> out;
    if (!servers_) return out;
    for (const mcp::Hub::Row& row : servers_->rows())
      out.push_back({row.name, row.state, std::to_string(row.tools),
                     short_count(row.schema_bytes / 4), row.source, row.place,
                     row.good || row.waiting ? "" : row.state});
    return out;
  };
  services.change_server = [this](std::string_view what, std::string_view name) {
    mcp::Client* server = servers_ ? servers_->find(name) : nullptr;
    if (server == nullptr) throw Error("no MCP server is called " + std::string(name));
    if (!server->entry().trouble.empty())
      throw Error(std::string(name) + " cannot be used: " + server->entry().trouble);
    if (what == "reconnect")
      servers_->reconnect(*server);
    else if (what == "enable" || what == "disable")
      servers_->set_enabled(*server, what == "enable");
    else
      throw Error("say /mcp reconnect, enable or disable, and a server's name");
    return what == "disable" ? std::string(name) +
                                   " is disabled until skein ends; its tools are gone "
                                   "with the next message\n"
                             : std::string(name) + " is starting; /mcp shows when it is there\n";
  };
}

}  // namespace skein::app
