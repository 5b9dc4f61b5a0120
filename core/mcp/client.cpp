#include "core/mcp/client.h"

#include "core/mcp/elicitation.h"
#include "core/mcp/protocol.h"
#include "core/mcp/rpc.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

// Waits, with an eye on the keyboard, until the signal is raised, the user wants no more, or for no
// reason at all. `wake_fd` is the keyboard's; -1: no more.
void watch(const Signal& signal, const model::ToolPorts& ports, int& wake_fd, Deadline deadline) {
  // Without a keyboard to watch, a stop is looked for so often.
  constexpr std::chrono::milliseconds glance{20};
  std::array<pollfd, 2> fds{{{signal.fd(), POLLIN, 0}, {wake_fd, POLLIN, 0}}};
  if (wake_fd < 0) deadline = std::min(deadline, std::chrono::steady_clock::now() + glance);
  if (wait(fds, deadline, ports.stopped) != Wake::ready) return;
  if (fds[0].revents != 0) signal.clear();
  // Awake but not stopped: if asking has not emptied that descriptor, nothing will.
  if (fds[1].revents != 0 && !ports.stopped() && is_readable(wake_fd)) wake_fd = -1;
}

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds longest_greeting{30'000};  // a server may take to start
constexpr std::size_t most_starts = 3;
constexpr std::chrono::minutes within{10};
constexpr int most_rounds = 5;     // in which one call may want something of the user
constexpr int most_timeouts = 10;  // that a call may take altogether, whatever progress it shows

constexpr std::size_t longest_instructions = 2u << 10, most_progress = 2u << 10;
constexpr std::size_t most_waiting = 20;  // of a server that wait

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
  if (!message.empty()) out += (out.empty() ? "" : ": ") + rpc::shortened(message, 400);
  return out + "\n";
}

// A stateless server says who it is next to the result.
const Json& server_info(const Json& result) {
  const Json& info = at(at(result, "_meta"), "io.modelcontextprotocol/serverInfo");
  return info.is_object() ? info : at(result, "serverInfo");
}

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

bool Client::is_stateless() const {
  const std::lock_guard hold(lock_);
  return protocol_ == ProtocolVersion::stateless;
}

JsonText Client::schema_of(std::string_view tool) const {
  const std::lock_guard hold(lock_);
  const auto found = std::ranges::find(view_.has.tools, tool, &RemoteTool::name);
  return found == view_.has.tools.end() ? JsonText{} : found->schema;
}

void Client::connect() {
  bool probe = false;
  {
    const std::lock_guard hold(lock_);
    if (view_.state == State::starting || view_.state == State::connected) return;
    starts_.push_back(Clock::now());
    view_.state = State::starting;
    view_.why.clear();
    pages_.clear();
    probe = asks_version(entry_, protocol_);
  }
  drop_channel();
  try {
    auto fresh = parts_.open(entry_, {.message = [this](const JsonText& text) { take(text); },
                                      .closed = [this](const std::string& why) { fail(why); }});
    const std::lock_guard hold(channel_lock_);
    channel_ = std::move(fresh);
  } catch (const std::exception& error) {  // no thread or no descriptor left: this server's end
    return fail(error.what());
  }
  greet(probe);
}

void Client::greet(bool probe) {
  std::int64_t id = 0;
  {
    const std::lock_guard hold(lock_);
    id = greeting_id_ = ++last_id_;
    probing_ = probe;
  }
  if (probe)
    return send(rpc::request(id, "server/discover", {{"_meta", stateless_meta(parts_.version)}}));
  send(rpc::request(id, "initialize",
                    {{"protocolVersion", newest_stateful_version},
                     {"capabilities", client_capabilities(false)},
                     {"clientInfo", client_info(parts_.version)}}));
}

void Client::disconnect() {
  drop_channel();
  fail("it was disconnected");
}

// It ends when the lock is free again: its thread may be waiting for that.
void Client::drop_channel() {
  std::unique_ptr<Channel> old;
  const std::lock_guard hold(channel_lock_);
  old = std::move(channel_);
}

void Client::close() {
  const std::lock_guard hold(channel_lock_);
  if (channel_) channel_->close();
}

void Client::send(JsonText message, Channel::Parameters parameters) {
  const std::lock_guard hold(channel_lock_);
  if (channel_) channel_->send(std::move(message), std::move(parameters));
}

// The server is no longer there; those who wait for it learn why.
void Client::fail(const std::string& why) {
  const std::lock_guard hold(lock_);
  if (view_.state != State::failed) {
    view_.state = State::failed;
    view_.why = rpc::shortened(why, 1'000);
  }
  view_.prompts_due = false;
  questions_.clear();
  for (auto& [id, each] : pending_)
    if (!each.reply)
      each.reply = {.failure = "the server " + entry_.name + " is gone: " + view_.why,
                    .again = why == session_over};
  parts_.signal.raise();
}

void Client::refuse(const std::string& why) {
  fail(why);
  close();
}

void Client::take(const JsonText& text) {
  const std::optional<Json> value = parse_json(text);
  if (!value) return;
  const auto one = [this](const Json& each) {
    const std::optional<rpc::Message> message = rpc::read_value(each);
    if (!message) return;
    if (message->is_request()) return answer_server(*message);
    if (message->is_notification()) return take_notification(*message);
    take_response(*message);
  };
  if (!value->is_array()) return one(*value);
  for (const Json& each : *value) one(each);
}

void Client::take_response(const rpc::Message& message) {
  if (!message.id.is_number_integer()) return;
  const auto id = message.id.get<std::int64_t>();
  bool greeting = false, probed = false;
  std::optional<List> page;
  {
    const std::lock_guard hold(lock_);
    greeting = id == greeting_id_;
    probed = probing_;
    if (greeting) greeting_id_ = 0;
    if (const auto found = pages_.find(id); found != pages_.end()) page = found->second;
    pages_.erase(id);
  }
  if (greeting) return take_greeting(message, probed);
  if (page) return take_page(message, *page);
  ServerReply reply;
  if (message.failure) {
    reply.failure = "the server " + entry_.name + " refused: " + rpc::words_of(*message.failure);
    const int status = rpc::http_status_of(*message.failure);
    reply.later = status == 408 || status == 429 || status >= 500;
  } else {
    reply.answer = std::make_shared<const rpc::Message>(message);
  }
  if (settle(id, std::move(reply))) parts_.signal.raise();  // else it came too late
}

bool Client::settle(std::int64_t id, ServerReply reply) {
  const std::lock_guard hold(lock_);
  const auto found = pending_.find(id);
  if (found == pending_.end() || found->second.reply) return false;
  found->second.reply = std::move(reply);
  return true;
}

void Client::take_greeting(const rpc::Message& message, bool probed) {
  if (probed) {
    if (take_probe(message)) welcome(message, ProtocolVersion::stateless);
    return;
  }
  const std::string version = string_at(message.result.value_or(Json::object()), "protocolVersion");
  if (message.failure) return refuse("it refused: " + rpc::words_of(*message.failure));
  if (!is_stateful_version(version))
    return refuse("it uses version '" + rpc::shortened(version, 40) +
                  "' of the protocol, which skein does not support");
  welcome(message, ProtocolVersion::stateful);
}

// Whether it is stateless. If not it is greeted in the old way, or has failed.
bool Client::take_probe(const rpc::Message& message) {
  AfterProbe next = AfterProbe::stateless;
  std::string why;
  if (message.failure) {
    next = after_probe(*message.failure, entry_);
    why = rpc::words_of(*message.failure);
  } else if (const Json& versions = at(*message.result, "supportedVersions");
             !versions.is_array() ||
             std::ranges::find(versions, Json(stateless_version)) == versions.end()) {
    next = after_probe({rpc::unsupported_version, "", {{"supported", versions}}}, entry_);
    why = "it uses versions of the protocol that skein does not support: " +
          rpc::shortened(dump(versions), 200);
  }
  if (next == AfterProbe::none) refuse(why);
  if (next == AfterProbe::stateful) greet(false);
  return next == AfterProbe::stateless;
}

void Client::welcome(const rpc::Message& message, ProtocolVersion protocol) {
  const Json result = message.result.value_or(Json::object());
  // One that does not say what it can do is there for its tools.
  Json capabilities = at(result, "capabilities");
  if (!message.result) capabilities = {{"tools", Json::object()}};
  std::vector<List> lists;
  for (const List each : all_lists)
    if (at(capabilities, name_of(each)).is_object()) lists.push_back(each);
  const auto has = [&](List list) { return std::ranges::find(lists, list) != lists.end(); };
  {
    const std::lock_guard hold(lock_);
    protocol_ = protocol;
    view_.protocol = protocol == ProtocolVersion::stateless ? stateless_version
                                                            : string_at(result, "protocolVersion");
    view_.resources = has(List::resources);
    view_.prompts_due = has(List::prompts);
    view_.title = rpc::shortened(string_at(server_info(result), "name"), 100);
    view_.version = rpc::shortened(string_at(server_info(result), "version"), 40);
    view_.instructions = rpc::shortened(string_at(result, "instructions"), longest_instructions);
    if (!has(List::tools)) {
      view_.state = State::connected;
      view_.has.tools.clear();
      ++view_.changes;
    }
  }
  if (protocol == ProtocolVersion::stateful) send(rpc::notification("notifications/initialized"));
  for (const List each : lists) list(each, "");
  listen(message);
  if (!has(List::tools)) parts_.signal.raise();
}

// Only if it says that its lists change: the way to it may cost a connection.
void Client::listen(const rpc::Message& welcome) {
  const Json result = welcome.result.value_or(Json::object());
  const Json& capabilities = at(result, "capabilities");
  Json wanted = Json::object();
  for (const List each : all_lists)
    if (bool_at(at(capabilities, name_of(each)), "listChanged"))
      wanted[std::string(name_of(each)) + "ListChanged"] = true;
  if (wanted.empty()) return;
  JsonText request;
  if (is_stateless()) {
    const std::lock_guard hold(lock_);
    request = rpc::request(++last_id_, "subscriptions/listen",
                           {{"notifications", wanted}, {"_meta", stateless_meta(parts_.version)}});
  }
  const std::lock_guard hold(channel_lock_);
  if (channel_) channel_->listen(std::move(request));
}

void Client::list(List list, const std::string& cursor) {
  std::int64_t id = 0;
  Json params = Json::object();
  if (!cursor.empty()) params["cursor"] = cursor;
  if (is_stateless()) params["_meta"] = stateless_meta(parts_.version);
  {
    const std::lock_guard hold(lock_);
    if (cursor.empty()) {
      RemoteLists none;
      listing_.take(list, none);
      std::erase_if(pages_, [&](const auto& each) { return each.second == list; });
    }
    id = ++last_id_;
    pages_[id] = list;
  }
  send(rpc::request(id, method_of(list), params));
}

void Client::take_page(const rpc::Message& message, List which) {
  if (message.failure) {
    {
      const std::lock_guard hold(lock_);
      if (which == List::prompts) view_.prompts_due = false;
    }
    if (which == List::tools && state() == State::starting)
      fail("it does not list its tools: " + rpc::words_of(*message.failure));
    return parts_.signal.raise();  // the list there was holds
  }
  std::string next;
  {
    const std::lock_guard hold(lock_);
    next = listing_.add_page(which, dump(*message.result));
    if (next.empty()) {
      view_.has.take(which, listing_);
      if (which == List::prompts) view_.prompts_due = false;
      if (which == List::tools) {
        view_.state = State::connected;
        ++view_.changes;
      }
    }
  }
  if (!next.empty()) return list(which, next);
  parts_.signal.raise();
}

void Client::take_notification(const rpc::Message& message) {
  for (const List each : all_lists)
    if (message.method == "notifications/" + std::string(name_of(each)) + "/list_changed" &&
        state() == State::connected)
      return list(each, "");
  if (message.method != "notifications/progress") return;
  const Json& token = at(message.params, "progressToken");
  if (!token.is_number_integer()) return;
  const std::lock_guard hold(lock_);
  const auto found = pending_.find(token.get<std::int64_t>());
  if (found == pending_.end()) return;
  Pending& request = found->second;
  request.moved = true;
  // One that reports faster than it is read is not remembered for ever.
  if (request.progress.size() < most_progress) request.progress += progress_text(message.params);
  parts_.signal.raise();
}

void Client::answer_server(const rpc::Message& message) {
  if (message.method == "ping") return send(rpc::response(message.id, Json::object()));
  if (message.method == "roots/list")
    return send(rpc::response(message.id, roots_of(parts_.workspace)));
  if (message.method != "elicitation/create")
    return send(rpc::failure(message.id, {rpc::unknown_method, "skein does not support that"}));
  // The user is asked where the call waits; between calls no user waits for a question.
  std::unique_lock hold(lock_);
  if (pending_.empty()) {
    hold.unlock();
    return send(rpc::response(message.id, {{"action", "decline"}}));
  }
  if (questions_.size() < most_waiting)
    questions_.push_back(std::make_shared<const rpc::Message>(message));
  parts_.signal.raise();
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
             "; it was started too often, so skein does not restart it now";
    connect();
  }
  int wake_fd = ports.wake_fd;
  const Deadline due = Clock::now() + longest_greeting;
  while (state() == State::starting) {
    if (ports.stopped()) return "cancelled by the user";
    if (Clock::now() >= due)
      return "the server " + entry_.name + " has not answered for " +
             short_duration(longest_greeting.count());
    watch(parts_.signal, ports, wake_fd, due);
  }
  return state() == State::connected ? "" : "the server " + entry_.name + " failed: " + view().why;
}

ServerReply Client::call(const std::string& tool, const JsonText& arguments,
                         const model::ToolPorts& ports) {
  Json params{{"name", tool}};
  params["arguments"] = parse_json(arguments).value_or(Json::object());
  return request("tools/call", dump(params), ports);
}

ServerReply Client::request(std::string_view method, const JsonText& params,
                            const model::ToolPorts& ports) {
  rpc::Message asked{.params = parse_json(params).value_or(Json::object())};
  for (int round = 0;; ++round) {
    ServerReply reply = request_once(method, asked, ports);
    if (reply.again || (reply.later && method != "tools/call"))
      reply = request_once(method, asked, ports);
    if (!reply.answer) return reply;
    const std::string type = string_at(*reply.answer->result, "resultType", "complete");
    if (!is_stateless() || type == "complete") return reply;
    if (type != "input_required")
      return {.failure = "the server " + entry_.name +
                         " sent an answer of a type that skein does not know: " +
                         rpc::shortened(type, 40)};
    if (round == most_rounds)
      return {.failure = "the server " + entry_.name + " asked too many questions; skein gave up"};
    AskedAgain next =
        with_input(std::move(asked.params), *reply.answer->result, entry_.name, ports);
    if (ports.stopped()) return {.failure = "cancelled by the user"};
    if (!next.trouble.empty()) return {.failure = "the server " + entry_.name + " " + next.trouble};
    asked.params = std::move(next.params);
  }
}

ServerReply Client::request_once(std::string_view method, const rpc::Message& asked,
                                 const model::ToolPorts& ports) {
  if (std::string why = wait_until_connected(ports); !why.empty()) return {.failure = why};
  Json params = asked.params;
  params["_meta"] = is_stateless() ? stateless_meta(parts_.version) : Json::object();
  Channel::Parameters headers;
  if (is_stateless() && method == "tools/call") {
    const JsonText schema = schema_of(string_at(params, "name"));
    headers =
        parameter_headers(parse_json(schema).value_or(Json::object()), at(params, "arguments"));
  }
  std::int64_t id = 0;
  {
    const std::lock_guard hold(lock_);
    id = ++last_id_;
    pending_[id];
  }
  params["_meta"]["progressToken"] = id;
  send(rpc::request(id, method, params), std::move(headers));
  // It may have died since: then this request was not settled.
  if (state() != State::connected) settle(id, {.failure = "the server is gone: " + view().why});
  ServerReply reply = wait_for(id, ports);
  const std::lock_guard hold(lock_);
  pending_.erase(id);
  return reply;
}

ServerReply Client::wait_for(std::int64_t id, const model::ToolPorts& ports) {
  int wake_fd = ports.wake_fd;
  const Clock::duration longest = most_timeouts * entry_.timeout;
  Deadline last = Clock::now() + longest, due = Clock::now() + entry_.timeout;
  for (;;) {
    Pending look;
    {
      const std::lock_guard hold(lock_);
      look = std::exchange(pending_[id], {});
    }
    if (look.moved) due = Clock::now() + entry_.timeout;
    if (look.reply) return *std::move(look.reply);
    if (!look.progress.empty()) ports.output(look.progress);
    // Questions take the user's time, not the server's.
    if (const Deadline before = Clock::now(); answer_questions(ports)) {
      due = Clock::now() + entry_.timeout;
      last += Clock::now() - before;
    }
    if (ports.stopped()) {
      cancel(id, "the user wants no more");
      return {.failure = "cancelled by the user; the server was informed"};
    }
    if (Clock::now() >= std::min(due, last)) {
      cancel(id, "it took too long");
      const bool moved = due > last;
      return {.failure = "the server " + entry_.name + " did not answer within " +
                         short_duration((moved ? most_timeouts : 1) * entry_.timeout.count()) +
                         (moved ? ", although it showed progress" : "") +
                         "; the call was cancelled"};
    }
    watch(parts_.signal, ports, wake_fd, std::min(due, last));
  }
}

// False: there were none.
bool Client::answer_questions(const model::ToolPorts& ports) {
  for (bool any = false;; any = true) {
    std::shared_ptr<const rpc::Message> question;
    {
      const std::lock_guard hold(lock_);
      if (questions_.empty()) return any;
      question = std::move(questions_.front());
      questions_.pop_front();
    }
    send(rpc::response(question->id, elicited(question->params, entry_.name, ports)));
  }
}

// In the stateless protocol a stream that is closed says so by itself, where there is one.
void Client::cancel(std::int64_t id, const std::string& reason) {
  if (!is_stateless() || !entry_.over_http())
    send(rpc::notification("notifications/cancelled", {{"requestId", id}, {"reason", reason}}));
  const std::lock_guard hold(channel_lock_);
  if (channel_) channel_->forget(id);
}

}  // namespace skein::mcp
