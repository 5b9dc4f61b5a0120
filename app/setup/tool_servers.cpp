#include "app/setup/tool_servers.h"

#include "app/setup/client.h"
#include "core/mcp/stdio_channel.h"
#include "core/process/environment.h"
#include "core/project/command_text.h"
#include "core/text/checksum.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/tools/documents.h"
#include "core/web/fetcher.h"
#include "providers/http/address.h"
#include "providers/http/web_transport.h"
#include "providers/mcp/http_channel.h"

namespace skein::app {

namespace {

using Verdict = permission::Decision::Verdict;

bool is_web_address(std::string_view name) {
  const std::string start = lower(name.substr(0, 8));
  return start.starts_with("http://") || start == "https://";
}

// What a tool's result attaches to a prompt that names it. Throws Error if it is a failure.
model::Fetched attached(const std::string& name, const model::ToolOutcome& read) {
  model::Fetched out;
  for (const model::ResultBlock& block : read.content) {
    if (const auto* text = std::get_if<model::Text>(&block)) out.text += text->text;
    if (const auto* image = std::get_if<model::Image>(&block)) out.images.push_back(*image);
  }
  if (read.is_error) throw Error("@" + name + " cannot be read, so nothing was sent: " + out.text);
  return out;
}

using mcp::ServerEntry, model::Notice, std::chrono::milliseconds;

std::vector<ServerEntry> shared_servers(ProjectFiles& project,
                                        std::vector<std::string>& notices) try {
  const std::optional<SharedServers> file = shared_servers_file(project);
  if (!file) return {};
  std::vector<ServerEntry> entries =
      mcp::read_servers(file->text, file->path, ServerEntry::Source::workspace);
  const Trust trust = project.trust().of(file->path, sha256_hex(file->text));
  if (trust == Trust::given || entries.empty()) return entries;
  std::vector<std::string> names;
  for (const ServerEntry& entry : entries) names.push_back(entry.name);
  if (trust == Trust::unknown)
    project.project().note_untrusted(
        file->path, (entries.size() == 1 ? "the MCP server " : "the MCP servers ") + listed(names) +
                        " in " + file->path);
  return {};
} catch (const Error& error) {  // a file of the project is no reason not to start
  notices.emplace_back(error.what());
  return {};
}

mcp::Variables variables_for(const ServerEntry& entry, const std::string& workspace,
                             const std::set<std::string>& key_variables) {
  const bool theirs = entry.source == ServerEntry::Source::workspace;
  return [=](const std::string& name) -> std::optional<std::string> {
    if (name == "SKEIN_PROJECT_DIR") return workspace;
    const std::optional<std::string> value = providers::Keyring::variable(name);
    if (!value) return std::nullopt;
    // The same key may be there by another name.
    const bool is_key = std::ranges::any_of(key_variables, [&](const std::string& each) {
      return each == name || (!value->empty() && providers::Keyring::variable(each) == value);
    });
    return theirs && is_key ? std::nullopt : value;
  };
}

// Asked for on a thread of the channel's.
http::HttpHeaders headers_of(const ServerEntry& entry, const std::function<bool()>& stopped) {
  if (!entry.headers.empty() && http::is_in_clear(entry.url))
    throw Error("others could read the headers in transit: use https://");
  constexpr auto in_group = providers::CommandPlace::own_group;
  http::HttpHeaders out;
  for (const auto& [name, value] : entry.headers) {
    out.emplace_back(lower(name),
                     !value.starts_with('!')
                         ? value
                         : providers::first_line_of(value.substr(1), in_group, stopped));
  }
  return out;
}

// The prompt is drawn first; on a busy machine a server's start would delay it.
constexpr milliseconds before_servers{30};
// How long the first turn waits for servers that are still starting, and how long it says nothing.
constexpr milliseconds patience_of_user{5'000}, patience_of_script{30'000}, silence{300};

}  // namespace

model::Tool WebPages::tool() {
  // Shared by the copies of the tool: they have one cache.
  if (!fetcher_)
    fetcher_ = std::make_shared<web::Fetcher>(http::ask_web, tools::pdf_reader(config_.sandbox));
  return tools::web_fetch_tool(fetcher_);
}

void WebPages::note_typed(Id session, std::string_view text) { typed_[session].note(text); }

std::function<bool(const std::string&)> WebPages::typed_in(Id session) const {
  return [this, session](const std::string& url) {
    const auto found = typed_.find(session);
    return found != typed_.end() && found->second.has(url);
  };
}

// The user has asked for it, so there is no question; what is forbidden or private stays so.
std::optional<model::Fetched> WebPages::fetched(const std::string& name,
                                                const session::CommandPorts& ports,
                                                model::ToolPorts asking) {
  if (!is_web_address(name)) return std::nullopt;
  const model::Tools tools{tool()};
  const model::Tool& fetch = tools.front();
  const model::ToolUse call{"", fetch.name, dump({{fetch.argument.name, name}})};
  permission::Rules rules = ports.rules;
  rules.mode = permission::Mode::normal;
  rules.typed = [](const std::string&) { return true; };
  if (const permission::Decision decision = permission::decide(rules, tools, call);
      decision.verdict != Verdict::allow)
    throw Error("@" + name + " is not fetched, so nothing was sent: " + decision.reason);
  asking.wake_fd = ports.ports.input.fd;
  asking.stopped = [&ports] {
    const model::Ports::Input& input = ports.ports.input;
    if (input.fd >= 0 && input.on_ready && is_readable(input.fd)) input.on_ready();
    return ports.ports.stopped();
  };
  asking.url_standing = permission::url_standing(rules, tools, call);
  return attached(name, fetch.run(call.input, asking));
}

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
    const bool is_text = trimmed(file).starts_with('{');
    const std::optional<std::string> text = is_text ? file : file_text(file);
    if (!text) throw UsageError("cannot read " + file + " (from --mcp-config)");
    for (ServerEntry& entry :
         mcp::read_servers(*text, is_text ? "--mcp-config" : file, ServerEntry::Source::flag))
      add(std::move(entry));
  }
  if (invocation.client != nullptr)
    for (const std::string& name : invocation.client->servers)
      add({.name = name,
           .source = ServerEntry::Source::flag,
           .file = "the program that drives skein",
           .command = "the program that drives skein",
           .by_client = true,
           .trouble = mcp::trouble_with_name(name)});
  const std::vector<std::string> listed_keys = catalog.key_variables();
  const std::set<std::string> keys(listed_keys.begin(), listed_keys.end());
  for (auto& [name, entry] : all) {
    ServerEntry filled = mcp::expanded(entry, variables_for(entry, workspace, keys));
    if (!filled.trouble.empty() && filled.enabled)
      out.notices.push_back("the MCP server " + name + " in " + filled.file +
                            " was ignored: " + filled.trouble);
    out.entries.push_back(std::move(filled));
  }
  return out;
}

mcp::OpenChannel open_channels(const std::string& workspace, const ClientParts* client) {
  const mcp::ServerSurroundings around{
      .environment = process::own_environment(), .workspace = workspace, .home = user_home()};
  return [around, client](const ServerEntry& entry,
                          mcp::Channel::Events events) -> std::unique_ptr<mcp::Channel> {
    if (entry.by_client) return client->open_server(entry, std::move(events));
    if (entry.over_http())
      return std::make_unique<mcp::HttpChannel>(
          entry.url,
          [entry](const std::function<bool()>& stopped) { return headers_of(entry, stopped); },
          std::move(events));
    return mcp::open_stdio_channel(entry, around, std::move(events));
  };
}

void ToolServers::start(const std::vector<mcp::ServerEntry>& entries, Parts parts) {
  for_script_ = parts.for_script;
  // A tenth of the window, at four bytes to a token.
  const auto direct_bytes = [&models = parts.models] { return models.first_window() * 4 / 10; };
  hub_ = std::make_unique<mcp::Hub>(
      entries, mcp::Hub::Parts{.open = open_channels(parts.workspace, parts.client),
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
    ports.sink(Notice{Notice::Level::info, "waiting for MCP servers to start: " + listed(missing)});
    missing = hub_->wait(patience - silence, ports);
  }
  if (!missing.empty() && !ports.stopped())
    ports.sink(
        Notice{Notice::Level::warning, "continuing without MCP servers that did not start within " +
                                           short_duration(patience.count()) + ": " +
                                           listed(missing) + " (see /mcp)"});
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
    const agent::Surrounding said{"the text of the MCP server " + server, text, true};
    settings.system += "\n\n# " + said.name +
                       "\n\nIt is not the user who says this, but the server about its tools:\n\n" +
                       said.text;
    settings.surroundings.push_back(said);
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
  model::Fetched made =
      attached(std::string(name), mcp::read_prompt(*server, *command, words, asking));
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

}  // namespace skein::app
