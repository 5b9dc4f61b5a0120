#include "core/mcp/server.h"

#include "core/mcp/protocol.h"
#include "core/mcp/rpc.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

// Thrown by a handler, and answered as the protocol's own kind of failure.
struct Refused {
  rpc::Failure failure;
};

using Handler = Json (*)(const ServerOffer&, const rpc::Message&, const CallStop&);

Json capabilities() { return {{"tools", Json::object()}, {"resources", Json::object()}}; }

Json greet(const ServerOffer& offer, const rpc::Message& message, const CallStop&) {
  const std::string asked = string_at(message.params, "protocolVersion");
  return {{"protocolVersion", is_stateful_version(asked) ? asked : newest_stateful_version},
          {"capabilities", capabilities()},
          {"serverInfo", {{"name", "skein"}, {"version", offer.version}}},
          {"instructions", offer.instructions}};
}

Json discover(const ServerOffer& offer, const rpc::Message&, const CallStop&) {
  return {{"supportedVersions", Json::array({stateless_version})},
          {"capabilities", capabilities()},
          {"instructions", offer.instructions},
          {"ttlMs", 3'600'000},
          {"cacheScope", "private"}};
}

Json nothing(const ServerOffer&, const rpc::Message&, const CallStop&) { return Json::object(); }

Json list_tools(const ServerOffer& offer, const rpc::Message&, const CallStop&) {
  Json tools = Json::array();
  for (const ServedTool& tool : offer.tools)
    tools.push_back({{"name", tool.name},
                     {"description", tool.description},
                     {"inputSchema", parse_json(tool.schema).value_or(Json::object())},
                     {"annotations", {{"readOnlyHint", tool.only_reads}}}});
  return {{"tools", std::move(tools)}};
}

const ServedTool& called_tool(const ServerOffer& offer, const rpc::Message& message) {
  const std::string name = string_at(message.params, "name");
  const auto tool = std::ranges::find(offer.tools, name, &ServedTool::name);
  if (tool == offer.tools.end())
    throw Refused{{rpc::bad_parameters, "there is no tool '" + name + "'"}};
  return *tool;
}

JsonText arguments_in(const rpc::Message& message) {
  const Json& given = at(message.params, "arguments");
  return dump(given.is_object() ? given : Json::object());
}

Json call_tool(const ServerOffer& offer, const rpc::Message& message, const CallStop& stop) {
  const ServedTool& tool = called_tool(offer, message);
  const auto text_result = [](std::string text, bool failed) {
    return Json{{"content", Json::array({{{"type", "text"}, {"text", std::move(text)}}})},
                {"isError", failed}};
  };
  try {
    return text_result(tool.run(arguments_in(message), stop), false);
  } catch (const Error& error) {
    return text_result(error.what(), true);
  }
}

Json listed_resource(const ServedResource& each, const char* uri_member) {
  return {{uri_member, each.uri},
          {"name", each.name},
          {"description", each.description},
          {"mimeType", "text/markdown"}};
}

Json list_resources(const ServerOffer& offer, const rpc::Message& message, const CallStop&) {
  std::string cursor = string_at(message.params, "cursor");
  Json out{{"resources", Json::array()}};
  for (const ServedResource& each : offer.resources(cursor))
    out["resources"].push_back(listed_resource(each, "uri"));
  if (!cursor.empty()) out["nextCursor"] = cursor;
  return out;
}

Json list_templates(const ServerOffer& offer, const rpc::Message&, const CallStop&) {
  Json out{{"resourceTemplates", Json::array()}};
  for (const ServedResource& each : offer.templates)
    out["resourceTemplates"].push_back(listed_resource(each, "uriTemplate"));
  return out;
}

Json read_resource(const ServerOffer& offer, const rpc::Message& message, const CallStop&) {
  const std::string uri = string_at(message.params, "uri");
  std::optional<std::string> text = offer.read(uri);
  if (!text) throw Refused{{rpc::no_such_resource, "there is no resource " + uri, {{"uri", uri}}}};
  return {
      {"contents",
       Json::array({{{"uri", uri}, {"mimeType", "text/markdown"}, {"text", *std::move(text)}}})}};
}

constexpr std::pair<std::string_view, Handler> methods[] = {
    {"initialize", greet},
    {"server/discover", discover},
    {"ping", nothing},
    {"tools/list", list_tools},
    {"tools/call", call_tool},
    {"resources/list", list_resources},
    {"resources/templates/list", list_templates},
    {"resources/read", read_resource},
};

Json handled(const ServerOffer& offer, const rpc::Message& message, const CallStop& stop) {
  const std::string version = rpc::version_in(message);  // empty: there was a greeting
  if (!version.empty() && version != stateless_version)
    throw Refused{{rpc::unsupported_version,
                   "version " + version + " is not supported",
                   {{"supported", Json::array({stateless_version})}, {"requested", version}}}};
  const auto method = std::ranges::find(methods, std::string_view(message.method),
                                        [](const auto& row) { return row.first; });
  if (method == std::end(methods))
    throw Refused{{rpc::unknown_method, "there is no method " + message.method}};
  Json result = method->second(offer, message, stop);
  if (version.empty()) return result;
  result["resultType"] = "complete";
  // How long what is listed or read may be kept: another skein may be writing.
  if (message.method.ends_with("/list") || message.method == "resources/read") {
    result["ttlMs"] = 0;
    result["cacheScope"] = "private";
  }
  result["_meta"]["io.modelcontextprotocol/serverInfo"] = {{"name", "skein"},
                                                           {"version", offer.version}};
  return result;
}

// The response with the result of `work`, or with the failure it threw; nullopt: there is no result
// yet.
std::optional<JsonText> answered(const Json& id, const std::function<std::optional<Json>()>& work) {
  try {
    const std::optional<Json> result = work();
    return result ? std::optional(rpc::response(id, *result)) : std::nullopt;
  } catch (const Refused& refused) {
    return rpc::failure(id, refused.failure);
  } catch (const std::exception& error) {
    return rpc::failure(id, {rpc::internal_error, error.what()});
  }
}

bool is_slow(const ServedTool& tool) { return bool(tool.series); }

}  // namespace

CallQueue::CallQueue(std::size_t at_once) {
  threads_.reserve(at_once);
  try {
    while (threads_.size() < at_once)
      threads_.push_back(quiet_thread([this, wake = Signal(cannot_wait)] { work(wake); }));
  } catch (const std::runtime_error& error) {  // fewer threads are enough
    if (threads_.empty()) throw Error(std::string("cannot run slow tools: ") + error.what());
  }
}

CallQueue::~CallQueue() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  cancel_if([](const Entry&) { return true; });
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CallQueue::add(Call call) {
  {
    const std::lock_guard lock(mutex_);
    calls_.emplace_back().call = std::move(call);
  }
  changed_.notify_one();
}

void CallQueue::cancel(const JsonText& id) {
  cancel_if([&](const Entry& entry) { return entry.call.id == id; });
}

void CallQueue::cancel_if(const std::function<bool(const Entry&)>& chosen) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : calls_) {
    if (!chosen(entry)) continue;
    entry.cancelled = true;
    if (entry.wake) entry.wake->raise();
  }
  std::erase_if(calls_, [](const Entry& entry) { return entry.cancelled && !entry.wake; });
}

bool CallQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return calls_.empty();
}

std::vector<JsonText> CallQueue::responses() {
  const std::lock_guard lock(mutex_);
  ended_.clear();
  return std::exchange(responses_, {});
}

std::vector<JsonText> CallQueue::progress() {
  const std::lock_guard lock(mutex_);
  std::vector<JsonText> out;
  for (Entry& entry : calls_)
    if (const Json token = parse_json(entry.call.progress_token).value_or(nullptr);
        !token.is_null() && !entry.cancelled)
      out.push_back(rpc::notification("notifications/progress",
                                      {{"progressToken", token},
                                       {"progress", ++entry.reports},
                                       {"message", entry.wake ? "running" : "waiting"}}));
  return out;
}

// The first that waits and has no earlier call of its series before it.
std::list<CallQueue::Entry>::iterator CallQueue::next() {
  std::set<std::string_view> taken;
  return std::ranges::find_if(calls_, [&](const Entry& entry) {
    const std::string& series = entry.call.series;
    const bool first = series.empty() || taken.insert(series).second;
    return first && !entry.wake;
  });
}

void CallQueue::work(const Signal& wake) {
  std::unique_lock lock(mutex_);
  for (;;) {
    auto entry = calls_.end();
    changed_.wait(lock, [&] { return leaving_ || (entry = next()) != calls_.end(); });
    if (leaving_) return;
    entry->wake = &wake;
    lock.unlock();
    // Asking clears the descriptor, or the wait for the end of a cancelled call would not wait.
    JsonText response = entry->call.run({.asked =
                                             [&] {
                                               wake.clear();
                                               return entry->cancelled.load();
                                             },
                                         .wake_fd = wake.fd()});
    lock.lock();
    if (!entry->cancelled) responses_.push_back(std::move(response));
    calls_.erase(entry);
    ended_.raise();
    changed_.notify_all();  // the next of its series may run now
  }
}

Server::Server(ServerOffer offer)
    : offer_(std::move(offer)),
      slow_calls_(std::ranges::any_of(offer_.tools, is_slow) ? slow_calls_at_once : 0) {}

std::optional<JsonText> Server::answer(std::string_view line) {
  if (trimmed(line).empty()) return std::nullopt;
  const std::optional<Json> value = parse_json(line);
  if (!value) return rpc::failure(nullptr, {rpc::parse_error, "this is not JSON"});
  const std::optional<rpc::Message> message = rpc::read_value(*value);
  if (!message)
    return rpc::failure(nullptr, {rpc::invalid_request, "this is not a JSON-RPC 2.0 message"});
  if (message->method == "notifications/cancelled")
    slow_calls_.cancel(dump(at(message->params, "requestId")));
  if (!message->is_request()) return std::nullopt;
  return answered(message->id, [&]() -> std::optional<Json> {
    if (message->method != "tools/call" || !is_slow(called_tool(offer_, *message)))
      return handled(offer_, *message, {});
    slow_calls_.add({.id = dump(message->id),
                     .progress_token = dump(at(at(message->params, "_meta"), "progressToken")),
                     .series = called_tool(offer_, *message).series(arguments_in(*message)),
                     .run = [this, request = *message](const CallStop& stop) {
                       return *answered(request.id, [&] { return handled(offer_, request, stop); });
                     }});
    return std::nullopt;
  });
}

}  // namespace skein::mcp
