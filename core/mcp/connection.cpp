#include "core/mcp/connection.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "core/mcp/era.h"
#include "core/mcp/input_required.h"
#include "core/mcp/rpc.h"
#include "core/mcp/shortened.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

constexpr std::size_t longest_instructions = 2u << 10;

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

// Since the modern era a server says who it is beside the result.
const Json& server_info(const Json& result) {
  const Json& beside = at(at(result, "_meta"), "io.modelcontextprotocol/serverInfo");
  return beside.is_object() ? beside : at(result, "serverInfo");
}

bool has_version(const Json& versions, std::string_view wanted) {
  return versions.is_array() && std::ranges::any_of(versions, [&](const Json& each) {
           return each.is_string() && each.get<std::string>() == wanted;
         });
}

bool may_go_better(int status) { return status == 408 || status == 429 || status >= 500; }

}  // namespace

Connection::~Connection() { disconnect(); }

Connection::View Connection::view() const {
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

Connection::State Connection::state() const {
  const std::lock_guard hold(lock_);
  return view_.state;
}

bool Connection::is_modern() const {
  const std::lock_guard hold(lock_);
  return era_ == Era::modern;
}

JsonText Connection::schema_of(std::string_view tool) const {
  const std::lock_guard hold(lock_);
  const auto found = std::ranges::find(view_.has.tools, tool, &RemoteTool::name);
  return found == view_.has.tools.end() ? JsonText{} : found->schema;
}

void Connection::connect() {
  bool probe = false;
  {
    const std::lock_guard hold(lock_);
    if (view_.state == State::starting || view_.state == State::connected) return;
    view_.state = State::starting;
    view_.why.clear();
    pages_.clear();
    probe = asks_era(entry_, era_);
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
  greet(probe);
}

void Connection::greet(bool probe) {
  std::int64_t id = 0;
  {
    const std::lock_guard hold(lock_);
    id = greeting_id_ = ++last_id_;
    probing_ = probe;
  }
  if (probe)
    return send(rpc::request(id, "server/discover", {{"_meta", modern_meta(parts_.version)}}));
  send(rpc::request(id, "initialize",
                    {{"protocolVersion", newest_greeting},
                     {"capabilities", client_capabilities(false)},
                     {"clientInfo", client_info(parts_.version)}}));
}

void Connection::disconnect() {
  std::unique_ptr<Channel> old;
  {
    const std::lock_guard hold(channel_lock_);
    old = std::move(channel_);
  }
  old.reset();
  fail("it was disconnected");
}

void Connection::close() {
  const std::lock_guard hold(channel_lock_);
  if (channel_) channel_->close();
}

void Connection::send(JsonText message, Channel::Parameters parameters) {
  const std::lock_guard hold(channel_lock_);
  if (channel_) channel_->send(std::move(message), std::move(parameters));
}

// The server is no longer there; whoever waits for it hears why.
void Connection::fail(const std::string& why) {
  std::string told;
  {
    const std::lock_guard hold(lock_);
    if (view_.state != State::failed) {
      view_.state = State::failed;
      view_.why = shortened(why, 1'000);
    }
    view_.prompts_due = false;
    told = view_.why;
  }
  requests_.settle_all(
      {.failure = "the server " + entry_.name + " is gone: " + told, .again = why == session_over});
  parts_.signal.raise();
}

void Connection::refuse(const std::string& why) {
  fail(why);
  close();
}

void Connection::take(const JsonText& text) {
  const std::optional<Json> value = parse_json(text);
  if (!value) return;
  const auto one = [this](const Json& each) {
    if (const std::optional<rpc::Message> message = rpc::read_value(each)) take_message(*message);
  };
  if (!value->is_array()) return one(*value);
  for (const Json& each : *value) one(each);
}

void Connection::take_message(const rpc::Message& message) {
  if (message.is_request()) return answer_server(message);
  if (message.is_notification()) return take_notification(message);
  take_response(message);
}

void Connection::take_response(const rpc::Message& message) {
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
  Reply reply;
  if (message.failure) {
    reply.failure = "the server " + entry_.name + " refused: " + rpc::words_of(*message.failure);
    reply.later = may_go_better(rpc::http_status_of(*message.failure));
  } else {
    reply.answer = std::make_shared<const rpc::Message>(message);
  }
  if (requests_.settle(id, std::move(reply))) parts_.signal.raise();  // else it came too late
}

void Connection::take_greeting(const rpc::Message& message, bool probed) {
  if (probed) {
    if (take_probe(message)) welcome(message, Era::modern);
    return;
  }
  const std::string version = string_at(message.result.value_or(Json::object()), "protocolVersion");
  if (message.failure) return refuse("it refused: " + rpc::words_of(*message.failure));
  if (!is_greeting_version(version))
    return refuse("it speaks version '" + shortened(version, 40) +
                  "' of the protocol, which skein does not");
  welcome(message, Era::legacy);
}

// Whether it is of the modern era. If not it is greeted in the old way, or has failed.
bool Connection::take_probe(const rpc::Message& message) {
  AfterProbe next = AfterProbe::modern;
  std::string why;
  if (message.failure) {
    next = after_probe(*message.failure, entry_);
    why = rpc::words_of(*message.failure);
  } else if (const Json& versions = at(*message.result, "supportedVersions");
             !has_version(versions, modern_version)) {
    next = after_probe({rpc::unsupported_version, "", {{"supported", versions}}}, entry_);
    why =
        "it speaks versions of the protocol that skein does not: " + shortened(dump(versions), 200);
  }
  if (next == AfterProbe::none) refuse(why);
  if (next == AfterProbe::legacy) greet(false);
  return next == AfterProbe::modern;
}

void Connection::welcome(const rpc::Message& message, Era era) {
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
    era_ = era;
    view_.protocol = era == Era::modern ? modern_version : string_at(result, "protocolVersion");
    view_.resources = has(List::resources);
    view_.prompts_due = has(List::prompts);
    view_.title = shortened(string_at(server_info(result), "name"), 100);
    view_.version = shortened(string_at(server_info(result), "version"), 40);
    view_.instructions = shortened(string_at(result, "instructions"), longest_instructions);
    if (!has(List::tools)) {
      view_.state = State::connected;
      view_.has.tools.clear();
      ++view_.changes;
    }
  }
  if (era == Era::legacy) send(rpc::notification("notifications/initialized"));
  for (const List each : lists) list(each, "");
  listen(message);
  if (!has(List::tools)) parts_.signal.raise();
}

// Only if it says that its lists change: the way to it may cost a connection.
void Connection::listen(const rpc::Message& welcome) {
  const Json result = welcome.result.value_or(Json::object());
  const Json& capabilities = at(result, "capabilities");
  Json wanted = Json::object();
  for (const List each : all_lists)
    if (bool_at(at(capabilities, name_of(each)), "listChanged"))
      wanted[std::string(name_of(each)) + "ListChanged"] = true;
  if (wanted.empty()) return;
  JsonText request;
  if (is_modern()) {
    const std::lock_guard hold(lock_);
    request = rpc::request(++last_id_, "subscriptions/listen",
                           {{"notifications", wanted}, {"_meta", modern_meta(parts_.version)}});
  }
  const std::lock_guard hold(channel_lock_);
  if (channel_) channel_->listen(std::move(request));
}

void Connection::list(List list, const std::string& cursor) {
  std::int64_t id = 0;
  Json params = Json::object();
  if (!cursor.empty()) params["cursor"] = cursor;
  if (is_modern()) params["_meta"] = modern_meta(parts_.version);
  {
    const std::lock_guard hold(lock_);
    if (cursor.empty()) {
      listing_.clear(list);
      std::erase_if(pages_, [&](const auto& each) { return each.second == list; });
    }
    id = ++last_id_;
    pages_[id] = list;
  }
  send(rpc::request(id, method_of(list), params));
}

void Connection::take_page(const rpc::Message& message, List which) {
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

void Connection::take_notification(const rpc::Message& message) {
  for (const List each : all_lists)
    if (message.method == "notifications/" + std::string(name_of(each)) + "/list_changed" &&
        state() == State::connected)
      return list(each, "");
  if (message.method != "notifications/progress") return;
  const Json& token = at(message.params, "progressToken");
  if (token.is_number_integer() &&
      requests_.progress(token.get<std::int64_t>(), progress_text(message.params)))
    parts_.signal.raise();
}

void Connection::answer_server(const rpc::Message& message) {
  if (message.method == "ping") return send(rpc::response(message.id, Json::object()));
  if (message.method == "roots/list")
    return send(rpc::response(message.id, roots_of(parts_.workspace)));
  if (message.method != "elicitation/create")
    return send(rpc::failure(message.id, {rpc::unknown_method, "skein does not do that"}));
  // The user is asked where the call waits; between calls nobody waits for a question.
  if (!requests_.any()) return send(rpc::response(message.id, {{"action", "decline"}}));
  requests_.ask(std::make_shared<const rpc::Message>(message));
  parts_.signal.raise();
}

void Connection::forget(std::int64_t id) {
  const std::lock_guard hold(channel_lock_);
  if (channel_) channel_->forget(id);
}

std::int64_t Connection::next_id() {
  const std::lock_guard hold(lock_);
  return ++last_id_;
}

}  // namespace skein::mcp
