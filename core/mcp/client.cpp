#include "core/mcp/client.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "core/mcp/rpc.h"
#include "core/text/amounts.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::mcp {

namespace {

using std::chrono::milliseconds;

constexpr const char* newest = "2025-11-25";
constexpr std::string_view spoken = "2024-11-05 2025-03-26 2025-06-18 2025-11-25";
constexpr std::size_t most_tools = 1'000;
constexpr std::size_t most_words = 2u << 10;  // of a description
constexpr std::size_t most_starts = 3;
constexpr std::chrono::minutes within{10};

std::string shortened(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return valid_utf8(text);
  return valid_utf8(utf8_prefix(text, bytes)) + "…";
}

std::string words_of(const rpc::Failure& failure) {
  return shortened(failure.message, 4'000) + " (code " + std::to_string(failure.code) + ")";
}

// "50 of 100: reading", as far as the server tells.
std::string progress_text(const Json& params) {
  const auto number = [](const Json& value) {
    return value.is_number_integer()
               ? std::to_string(value.get<std::int64_t>())
               : std::to_string(static_cast<std::int64_t>(value.get<double>()));
  };
  std::string out;
  if (at(params, "progress").is_number()) out = number(at(params, "progress"));
  if (!out.empty() && at(params, "total").is_number()) out += " of " + number(at(params, "total"));
  const std::string message = string_at(params, "message");
  if (!message.empty()) out += (out.empty() ? "" : ": ") + shortened(message, 400);
  return out + "\n";
}

// Waits for a signal of ours, with an eye on the keyboard.
class Watcher {
 public:
  Watcher(const Signal& signal, const model::ToolPorts& ports)
      : signal_(signal), ports_(ports), wake_fd_(ports.wake_fd) {}

  void until(Deadline deadline) {
    constexpr milliseconds glance{
        20};  // without a keyboard to watch, a stop is looked for so often
    std::array<pollfd, 2> fds{{{signal_.fd(), POLLIN, 0}, {wake_fd_, POLLIN, 0}}};
    if (wake_fd_ < 0) deadline = std::min(deadline, std::chrono::steady_clock::now() + glance);
    if (wait(fds, deadline, ports_.stopped) != Wake::ready) return;
    if (fds[0].revents != 0) signal_.clear();
    // Awake but not stopped: if asking has not emptied that descriptor, nothing will.
    if (fds[1].revents != 0 && !ports_.stopped() && is_readable(wake_fd_)) wake_fd_ = -1;
  }

 private:
  const Signal& signal_;
  const model::ToolPorts& ports_;
  int wake_fd_;
};

}  // namespace

Client::~Client() { disconnect(); }

Client::View Client::view() const {
  std::string diagnostics;
  {
    const std::lock_guard hold(channel_lock_);
    if (channel_) diagnostics = channel_->diagnostics();
  }
  const std::lock_guard hold(lock_);
  View out = view_;
  out.diagnostics = std::move(diagnostics);
  return out;
}

Client::State Client::state() const {
  const std::lock_guard hold(lock_);
  return view_.state;
}

void Client::connect() {
  std::int64_t id = 0;
  {
    const std::lock_guard hold(lock_);
    if (view_.state == State::starting || view_.state == State::connected) return;
    view_.state = State::starting;
    view_.why.clear();
    starts_.push_back(Clock::now());
    listing_.clear();
    id = greeting_id_ = ++last_id_;
  }
  std::unique_ptr<Channel> old;
  {
    const std::lock_guard hold(channel_lock_);
    old = std::move(channel_);
  }
  old.reset();
  try {
    auto fresh = parts_.open(entry_, {.message = [this](const JsonText& text) { take(text); },
                                      .closed = [this](const std::string& why) { fail(why); }});
    const std::lock_guard hold(channel_lock_);
    channel_ = std::move(fresh);
  } catch (const std::exception& error) {  // no thread or no descriptor left: this server's end
    return fail(error.what());
  }
  send(rpc::request(id, "initialize",
                    {{"protocolVersion", newest},
                     {"capabilities", {{"roots", Json::object()}}},
                     {"clientInfo", {{"name", "skein"}, {"version", parts_.version}}}}));
}

void Client::disconnect() {
  std::unique_ptr<Channel> old;
  {
    const std::lock_guard hold(channel_lock_);
    old = std::move(channel_);
  }
  old.reset();
  fail("it was disconnected");
}

void Client::close() {
  const std::lock_guard hold(channel_lock_);
  if (channel_) channel_->close();
}

void Client::send(JsonText message) {
  const std::lock_guard hold(channel_lock_);
  if (channel_) channel_->send(std::move(message));
}

// The server is no longer there; whoever waits for it hears why.
void Client::fail(const std::string& why) {
  {
    const std::lock_guard hold(lock_);
    if (view_.state != State::failed) {
      view_.state = State::failed;
      view_.why = shortened(why, 1'000);
    }
    for (auto& [id, each] : pending_)
      if (!each.done) {
        each.done = true;
        each.reply = {.failure = "the server " + entry_.name + " is gone: " + view_.why,
                      .again = why == session_over};
      }
  }
  parts_.signal.raise();
}

void Client::take(const JsonText& text) {
  const std::optional<Json> value = parse_json(text);
  if (!value) return;
  const auto one = [this](const Json& each) {
    if (const std::optional<rpc::Message> message = rpc::read_value(each)) take_message(*message);
  };
  if (!value->is_array()) return one(*value);
  for (const Json& each : *value) one(each);
}

void Client::take_message(const rpc::Message& message) {
  if (message.is_request()) return answer_server(message);
  if (message.is_notification()) return take_notification(message);
  take_response(message);
}

void Client::take_response(const rpc::Message& message) {
  if (!message.id.is_number_integer()) return;
  const auto id = message.id.get<std::int64_t>();
  std::int64_t greeting = 0, listing = 0;
  {
    const std::lock_guard hold(lock_);
    greeting = greeting_id_;
    listing = listing_id_;
  }
  if (id == greeting) return take_greeting(message);
  if (id == listing) return take_tools(message);
  Reply reply;
  if (message.failure)
    reply.failure = "the server " + entry_.name + " refused: " + words_of(*message.failure);
  else
    reply.answer = std::make_shared<const rpc::Message>(message);
  settle(id, std::move(reply));
}

void Client::settle(std::int64_t id, Reply reply) {
  {
    const std::lock_guard hold(lock_);
    const auto found = pending_.find(id);
    if (found == pending_.end() || found->second.done) return;  // it came too late
    found->second.done = true;
    found->second.reply = std::move(reply);
  }
  parts_.signal.raise();
}

void Client::take_greeting(const rpc::Message& message) {
  const Json result = message.result.value_or(Json::object());
  const std::string version = string_at(result, "protocolVersion");
  if (message.failure || !has_word(spoken, version) || version.empty()) {
    fail(message.failure ? "it refused: " + words_of(*message.failure)
                         : "it speaks version '" + shortened(version, 40) +
                               "' of the protocol, which skein does not");
    return close();
  }
  const bool has_tools = at(at(result, "capabilities"), "tools").is_object();
  {
    const std::lock_guard hold(lock_);
    greeting_id_ = 0;
    view_.protocol = version;
    view_.resources = at(at(result, "capabilities"), "resources").is_object();
    view_.title = shortened(string_at(at(result, "serverInfo"), "name"), 100);
    view_.version = shortened(string_at(at(result, "serverInfo"), "version"), 40);
    view_.instructions = shortened(string_at(result, "instructions"), most_words);
    if (!has_tools) {
      view_.state = State::connected;
      view_.tools.clear();
      ++view_.changes;
    }
  }
  send(rpc::notification("notifications/initialized"));
  if (has_tools) return list_tools("");
  parts_.signal.raise();
}

void Client::list_tools(const std::string& cursor) {
  std::int64_t id = 0;
  {
    const std::lock_guard hold(lock_);
    if (cursor.empty()) listing_.clear();
    id = listing_id_ = ++last_id_;
  }
  Json params = Json::object();
  if (!cursor.empty()) params["cursor"] = cursor;
  send(rpc::request(id, "tools/list", params));
}

void Client::take_tools(const rpc::Message& message) {
  if (message.failure) {
    const bool first = state() == State::starting;
    if (first) fail("it does not list its tools: " + words_of(*message.failure));
    return;  // else the list there was holds
  }
  const Json& result = *message.result;
  std::string next;
  {
    const std::lock_guard hold(lock_);
    for (const Json& each : at(result, "tools").is_array() ? at(result, "tools") : Json::array()) {
      if (listing_.size() == most_tools || string_at(each, "name").empty()) continue;
      listing_.push_back({shortened(string_at(each, "name"), 200),
                          shortened(string_at(each, "description"), most_words),
                          text_at(each, "inputSchema")});
    }
    if (listing_.size() < most_tools) next = string_at(result, "nextCursor");
    if (next.empty()) {
      listing_id_ = 0;
      std::ranges::sort(listing_, {}, &RemoteTool::name);
      view_.tools = std::exchange(listing_, {});
      view_.state = State::connected;
      ++view_.changes;
    }
  }
  if (!next.empty()) return list_tools(next);
  parts_.signal.raise();
}

void Client::take_notification(const rpc::Message& message) {
  if (message.method == "notifications/tools/list_changed" && state() == State::connected)
    return list_tools("");
  if (message.method != "notifications/progress") return;
  const Json& token = at(message.params, "progressToken");
  if (!token.is_number_integer()) return;
  {
    const std::lock_guard hold(lock_);
    const auto found = pending_.find(token.get<std::int64_t>());
    if (found == pending_.end()) return;
    found->second.moved = true;
    // One that reports faster than it is read is not remembered for ever.
    if (found->second.progress.size() < most_words)
      found->second.progress += progress_text(message.params);
  }
  parts_.signal.raise();
}

void Client::answer_server(const rpc::Message& message) {
  if (message.method == "ping") return send(rpc::response(message.id, Json::object()));
  if (message.method == "roots/list") {
    const Json root{{"uri", "file://" + parts_.workspace}, {"name", "workspace"}};
    return send(rpc::response(message.id, {{"roots", Json::array({root})}}));
  }
  send(rpc::failure(message.id, {rpc::unknown_method, "skein does not do that"}));
}

bool Client::may_start_again() {
  const std::lock_guard hold(lock_);
  std::erase_if(starts_, [](Clock::time_point each) { return Clock::now() - each > within; });
  return starts_.size() <= most_starts;
}

// Why it is not; empty: it is.
std::string Client::wait_until_connected(const model::ToolPorts& ports) {
  if (state() == State::idle || state() == State::failed) {
    if (!may_start_again())
      return "the server " + entry_.name + " is gone: " + view().why +
             "; it was started too often to be started again now";
    connect();
  }
  Watcher watcher(parts_.signal, ports);
  const Deadline due = Clock::now() + parts_.greeting;
  while (state() == State::starting) {
    if (ports.stopped()) return "cancelled by the user";
    if (Clock::now() >= due)
      return "the server " + entry_.name + " has not answered for " +
             short_duration(parts_.greeting.count());
    watcher.until(due);
  }
  return state() == State::connected ? "" : "the server " + entry_.name + " failed: " + view().why;
}

Reply Client::call(const std::string& tool, const JsonText& arguments,
                   const model::ToolPorts& ports) {
  Json params{{"name", tool}};
  params["arguments"] = parse_json(arguments).value_or(Json::object());
  return request("tools/call", dump(params), ports);
}

Reply Client::request(std::string_view method, const JsonText& params,
                      const model::ToolPorts& ports) {
  const Reply reply = request_once(method, params, ports);
  return reply.again ? request_once(method, params, ports) : reply;
}

Reply Client::request_once(std::string_view method, const JsonText& params,
                           const model::ToolPorts& ports) {
  if (std::string why = wait_until_connected(ports); !why.empty()) return {.failure = why};
  std::int64_t id = 0;
  {
    const std::lock_guard hold(lock_);
    id = ++last_id_;
    pending_[id];
  }
  Json all = parse_json(params).value_or(Json::object());
  all["_meta"] = {{"progressToken", id}};
  send(rpc::request(id, method, all));
  // It may have died since: then nobody has told this request.
  if (state() != State::connected) settle(id, {.failure = "the server is gone: " + view().why});
  Reply reply = wait_for(id, ports);
  const std::lock_guard hold(lock_);
  pending_.erase(id);
  return reply;
}

Reply Client::wait_for(std::int64_t id, const model::ToolPorts& ports) {
  Watcher watcher(parts_.signal, ports);
  const Deadline last = Clock::now() + parts_.longest;
  Deadline due = Clock::now() + entry_.timeout;
  for (;;) {
    std::string progress;
    {
      const std::lock_guard hold(lock_);
      Pending& pending = pending_[id];
      if (std::exchange(pending.moved, false)) due = Clock::now() + entry_.timeout;
      progress = std::exchange(pending.progress, {});
      if (pending.done) return std::move(pending.reply);
    }
    if (!progress.empty()) ports.output(progress);
    if (ports.stopped()) {
      cancel(id, "the user wants no more");
      return {.failure = "cancelled by the user; the server was told"};
    }
    if (Clock::now() >= std::min(due, last)) {
      cancel(id, "it took too long");
      return {.failure = "the server " + entry_.name + " did not answer within " +
                         short_duration(entry_.timeout.count()) + "; the call was cancelled"};
    }
    watcher.until(std::min(due, last));
  }
}

void Client::cancel(std::int64_t id, const std::string& reason) {
  send(rpc::notification("notifications/cancelled", {{"requestId", id}, {"reason", reason}}));
  const std::lock_guard hold(channel_lock_);
  if (channel_) channel_->forget(id);
}

}  // namespace skein::mcp
