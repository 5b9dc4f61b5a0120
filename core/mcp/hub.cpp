#include "core/mcp/hub.h"

#include "core/mcp/protocol.h"
#include "core/mcp/rpc.h"
#include "core/mcp/tool_search.h"
#include "core/text/checksum.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

using Clock = std::chrono::steady_clock;

bool is_settled(Client::State state) {
  return state == Client::State::connected || state == Client::State::failed;
}

std::size_t tasks_among(const std::vector<RemoteTool>& tools) {
  return static_cast<std::size_t>(std::ranges::count(tools, true, &RemoteTool::needs_task));
}

constexpr int most_unread = 100;  // times in a row

// What the model is given of tools.
std::int64_t bytes_of(const auto& tools) {
  std::size_t sum = 0;
  for (const auto& tool : tools)
    sum += tool.name.size() + tool.description.size() + tool.schema.size();
  return static_cast<std::int64_t>(sum);
}

// Tools that the entry hides are not reported, and those that need a task are in the list of
// servers; those that HTTP could not carry are reported.
void leave_out(const Client& client, std::vector<RemoteTool>& tools,
               std::vector<std::string>& left_out) {
  std::erase_if(tools, [&](const RemoteTool& tool) {
    if (tool.needs_task || exposure_of(client.entry(), tool.name) == Exposure::hidden) return true;
    if (!client.entry().over_http() ||
        header_parameters(parse_json(tool.schema).value_or(Json::object())))
      return false;
    left_out.push_back(tool.name);
    return true;
  });
}

}  // namespace

Hub::Hub(const std::vector<ServerEntry>& entries, Parts parts) : parts_(std::move(parts)) {
  for (const ServerEntry& entry : entries)
    clients_.push_back({std::make_unique<Client>(entry, Client::Parts{.open = parts_.open,
                                                                      .workspace = parts_.workspace,
                                                                      .version = parts_.version,
                                                                      .signal = signal_}),
                        entry.enabled});
  std::ranges::sort(clients_, {}, [](const Member& each) -> const std::string& {
    return each.client->entry().name;
  });
}

// All are asked to end before any is waited for.
Hub::~Hub() {
  {
    const std::lock_guard hold(lock_);
    leaving_ = true;
  }
  leaving_cv_.notify_all();
  if (starter_.joinable()) starter_.join();
  for (const Member& member : clients_) member.client->close();
}

void Hub::start() {
  std::vector<Client*> to_start;
  for (const Member& member : clients_)
    if (is_on(member)) to_start.push_back(member.client.get());
  if (to_start.empty()) return;
  starter_ = quiet_thread([this, to_start] {
    std::unique_lock hold(lock_);
    leaving_cv_.wait_for(hold, parts_.delay, [this] { return leaving_; });
    for (Client* client : to_start) {
      if (leaving_) return;
      hold.unlock();
      client->connect();
      hold.lock();
    }
  });
}

std::vector<std::string> Hub::wait(std::chrono::milliseconds time, const model::Ports& ports) {
  const Deadline due = Clock::now() + time;
  int keyboard = ports.input.on_ready ? ports.input.fd : -1;
  int unread = 0;
  for (;;) {
    std::vector<std::string> missing;
    for (const Member& member : clients_)
      if (is_on(member) && !is_settled(member.client->state()))
        missing.push_back(member.client->entry().name);
    if (missing.empty() || ports.stopped() || Clock::now() >= due) return missing;
    std::array<pollfd, 2> fds{{{signal_.fd(), POLLIN, 0}, {keyboard, POLLIN, 0}}};
    if (skein::wait(fds, due, [&] { return ports.stopped(); }) != Wake::ready) continue;
    if (fds[0].revents != 0) signal_.clear();
    if (fds[1].revents == 0) continue;
    ports.input.on_ready();
    // What is always there is not for us.
    unread = is_readable(keyboard) ? unread + 1 : 0;
    if (unread == most_unread) keyboard = -1;
  }
}

model::Tools Hub::tools(std::vector<std::string>& notices) {
  model::Tools out;
  std::map<std::string, std::optional<Exposure>> exposures;
  std::map<std::string, std::string> definitions;
  for (Member& member : clients_) {
    Client& client = *member.client;
    if (!is_on(member)) continue;
    Client::View view = client.view();
    std::vector<std::string> left_out;
    leave_out(client, view.has.tools, left_out);
    const CallServer call = [&client](const std::string& tool, const JsonText& input,
                                      const model::ToolPorts& ports) {
      const ServerReply reply = client.call(tool, input, ports);
      return reply.answer ? outcome_of(reply.answer->result.value_or(Json::object()), ports)
                          : model::tool_failure(reply.failure);
    };
    for (auto& [remote, tool] : tools_of(client.entry().name, view.has.tools, call, left_out)) {
      exposures[tool.name] = exposure_of(client.entry(), remote);
      definitions[tool.name] =
          definition_of(*std::ranges::find(view.has.tools, remote, &RemoteTool::name));
      out.push_back(std::move(tool));
    }
    if (view.resources)
      for (model::Tool& tool : resource_tools(client))
        if (exposures.try_emplace(tool.name, Exposure::direct).second)
          out.push_back(std::move(tool));
    if (!left_out.empty() && std::exchange(member.shown, view.changes) != view.changes)
      notices.push_back("the server " + client.entry().name +
                        " describes tools that cannot be offered to a model: " + listed(left_out));
  }
  defer(out, exposures);
  const std::lock_guard held(lock_);
  definitions_ = std::move(definitions);
  return out;
}

std::string Hub::definition(const std::string& tool) const {
  const std::lock_guard held(lock_);
  const auto found = definitions_.find(tool);
  return found == definitions_.end() ? std::string{} : found->second;
}

// Once tools have to be looked for it stays so: what the model knows of them still holds.
void Hub::defer(model::Tools& tools, const std::map<std::string, std::optional<Exposure>>& said) {
  const std::int64_t room = tools.empty() ? 0 : parts_.direct_bytes();
  searching_ = searching_ || (room > 0 && bytes_of(tools) > room);
  model::Tools deferred;
  for (model::Tool& tool : tools) {
    const Exposure usual = searching_ ? Exposure::search : Exposure::direct;
    tool.deferred = said.at(tool.name).value_or(usual) == Exposure::search;
    if (tool.deferred) deferred.push_back(tool);
  }
  if (deferred.empty()) return;
  for (model::Tool& tool : searching_tools(deferred)) tools.push_back(std::move(tool));
}

std::vector<PromptCommand> Hub::prompts() const {
  std::vector<PromptCommand> out;
  for (const Member& member : clients_)
    if (is_on(member)) std::ranges::move(prompt_commands(*member.client), std::back_inserter(out));
  return out;
}

Client* Hub::server_of_prompt(std::string_view name, const model::Ports& ports) {
  constexpr std::chrono::seconds patience{30};
  const auto found = std::ranges::find_if(clients_, [&](const Member& member) {
    return is_on(member) && name.starts_with("mcp__" + member.client->entry().name + "__");
  });
  if (found == clients_.end()) return nullptr;
  Client& client = *found->client;
  const auto due = [&] {
    const Client::View view = client.view();
    return !is_settled(view.state) || view.prompts_due;
  };
  const Deadline until = Clock::now() + patience;
  while (due() && !ports.stopped() && Clock::now() < until) {
    std::array<pollfd, 1> fds{{{signal_.fd(), POLLIN, 0}}};
    if (skein::wait(fds, until, [&] { return ports.stopped(); }) == Wake::ready) signal_.clear();
  }
  return due() ? nullptr : &client;
}

std::vector<std::string> Hub::resources() const {
  std::vector<std::string> out;
  for (const Member& member : clients_)
    if (is_on(member))
      for (const RemoteResource& each : member.client->view().has.resources)
        out.push_back(member.client->entry().name + ":" + each.uri);
  return out;
}

std::int64_t Hub::changes() const {
  std::int64_t sum = switched_;
  for (const Member& member : clients_) sum += member.client->view().changes;
  return sum;
}

std::vector<std::pair<std::string, std::string>> Hub::instructions() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Member& member : clients_)
    if (std::string text = member.client->view().instructions; is_on(member) && !text.empty())
      out.emplace_back(member.client->entry().name, std::move(text));
  return out;
}

std::map<std::string, std::string> Hub::identities() const {
  std::map<std::string, std::string> out;
  for (const Member& member : clients_) {
    const Client::View view = member.client->view();
    if (!is_on(member) || view.state != Client::State::connected) continue;
    std::string list;
    for (const RemoteTool& tool : view.has.tools)
      for (const std::string* text : {&tool.name, &tool.description, &tool.schema})
        list += std::to_string(text->size()) + ":" + *text;
    out[member.client->entry().name] =
        (view.version.empty() ? "" : view.version + " ") + sha256_hex(list);
  }
  return out;
}

std::string Hub::state_of(const Member& member) const {
  if (!trouble_of(member).empty()) return "cannot be used: " + trouble_of(member);
  if (!member.enabled) return "disabled";
  const Client::View view = member.client->view();
  switch (view.state) {
    case Client::State::idle: return "not started yet";
    case Client::State::starting: return "starting";
    case Client::State::failed: return "failed: " + view.why;
    case Client::State::connected: break;
  }
  std::string who = view.title.empty() ? std::string{} : ": " + view.title;
  if (!who.empty() && !view.version.empty()) who += " " + view.version;
  const std::size_t tasks = tasks_among(view.has.tools);
  const std::string why = ", which skein does not support";
  if (tasks > 0)
    who += "; " + counted(tasks, "tool is not offered: it must run as a task" + why,
                          "tools are not offered: they must run as tasks" + why);
  return "connected" + who;
}

std::vector<Hub::Row> Hub::rows() const {
  std::vector<Row> out;
  for (const Member& member : clients_) {
    const ServerEntry& entry = member.client->entry();
    const Client::View view = member.client->view();
    Row row{.name = entry.name,
            .state = state_of(member),
            .source = std::string(mcp::name(entry.source)),
            .place = entry.over_http() ? entry.url : entry.command,
            .tools = view.has.tools.size() - tasks_among(view.has.tools),
            .schema_bytes = bytes_of(view.has.tools),
            .good = view.state == Client::State::connected || !member.enabled,
            .failed = is_on(member) && view.state == Client::State::failed,
            .waiting = is_on(member) && !is_settled(view.state)};
    for (const std::string& each : entry.arguments)
      if (!entry.over_http()) row.place += " " + each;
    out.push_back(std::move(row));
  }
  return out;
}

Client* Hub::find(std::string_view name) {
  const auto found = std::ranges::find_if(
      clients_, [&](const Member& member) { return member.client->entry().name == name; });
  return found == clients_.end() ? nullptr : found->client.get();
}

bool Hub::is_on(const Client& client) const {
  return std::ranges::any_of(clients_, [&](const Member& member) {
    return member.client.get() == &client && is_on(member);
  });
}

void Hub::reconnect(Client& client) {
  client.disconnect();
  client.connect();
}

void Hub::set_enabled(Client& client, bool enabled) {
  for (Member& member : clients_) {
    if (member.client.get() != &client || member.enabled == enabled) continue;
    member.enabled = enabled;
    ++switched_;
    if (enabled)
      client.connect();
    else
      client.disconnect();
  }
}

}  // namespace skein::mcp
