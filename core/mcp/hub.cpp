#include "core/mcp/hub.h"

#include <poll.h>

#include <algorithm>
#include <array>

#include "core/mcp/content.h"
#include "core/text/quiet_thread.h"
#include "core/mcp/remote_tools.h"
#include "core/mcp/resource_tools.h"
#include "core/mcp/rpc.h"
#include "core/text/amounts.h"
#include "core/text/glob.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::mcp {

namespace {

using Clock = std::chrono::steady_clock;

model::ToolOutcome call_of(Client& client, const std::string& tool, const JsonText& input,
                           const model::ToolPorts& ports) {
  const Reply reply = client.call(tool, input, ports);
  if (!reply.answer) return model::tool_failure(reply.failure);
  return outcome_of(reply.answer->result.value_or(Json::object()), ports);
}

bool is_settled(Client::State state) {
  return state == Client::State::connected || state == Client::State::failed;
}

bool is_hidden(const Client& client, const std::string& tool) {
  return std::ranges::any_of(client.entry().hidden,
                             [&](const std::string& pattern) { return glob_match(pattern, tool); });
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

// All are told to end before any is waited for.
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
    if (is_readable(keyboard)) keyboard = -1;  // what is there is not for us
  }
}

model::Tools Hub::tools(std::vector<std::string>& notices) {
  model::Tools out;
  for (Member& member : clients_) {
    Client& client = *member.client;
    if (!is_on(member)) continue;
    Client::View view = client.view();
    std::erase_if(view.tools, [&](const RemoteTool& tool) { return is_hidden(client, tool.name); });
    std::vector<std::string> left_out;
    const CallServer call = [&client](const std::string& tool, const JsonText& input,
                                      const model::ToolPorts& ports) {
      return call_of(client, tool, input, ports);
    };
    for (model::Tool& tool : tools_of(client.entry().name, view.tools, call, left_out))
      out.push_back(std::move(tool));
    if (view.resources)
      for (model::Tool& tool : resource_tools(client))
        if (model::find_tool(out, tool.name) == nullptr) out.push_back(std::move(tool));
    if (!left_out.empty() && std::exchange(member.shown, view.changes) != view.changes)
      notices.push_back("the server " + client.entry().name +
                        " describes tools that no model could be given: " + listed(left_out));
  }
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
            .tools = view.tools.size(),
            .good = view.state == Client::State::connected || !member.enabled,
            .failed = is_on(member) && view.state == Client::State::failed,
            .waiting = is_on(member) && !is_settled(view.state)};
    for (const std::string& each : entry.arguments)
      if (!entry.over_http()) row.place += " " + each;
    for (const RemoteTool& tool : view.tools)
      row.schema_bytes += static_cast<std::int64_t>(tool.name.size() + tool.description.size() +
                                                    tool.schema.size());
    out.push_back(std::move(row));
  }
  return out;
}

Client* Hub::find(std::string_view name) {
  const auto found = std::ranges::find_if(
      clients_, [&](const Member& member) { return member.client->entry().name == name; });
  return found == clients_.end() ? nullptr : found->client.get();
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
