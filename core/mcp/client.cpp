#include "core/mcp/client.h"

#include <algorithm>
#include <utility>

#include "core/mcp/era.h"
#include "core/mcp/header_parameters.h"
#include "core/mcp/input_required.h"
#include "core/mcp/rpc.h"
#include "core/mcp/shortened.h"
#include "core/mcp/watcher.h"
#include "core/text/amounts.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_starts = 3;
constexpr std::chrono::minutes within{10};
constexpr int most_rounds = 5;     // in which one call may want something of the user
constexpr int most_timeouts = 10;  // that a call may take altogether, whatever progress it shows

}  // namespace

void Client::connect() {
  if (state() == State::starting || state() == State::connected) return;
  {
    const std::lock_guard hold(lock_);
    starts_.push_back(Clock::now());
  }
  connection_.connect();
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
  rpc::Message asked{.params = parse_json(params).value_or(Json::object())};
  for (int round = 0;; ++round) {
    Reply reply = request_once(method, asked, ports);
    if (reply.again || (reply.later && method != "tools/call"))
      reply = request_once(method, asked, ports);
    if (!reply.answer) return reply;
    const std::string type = string_at(*reply.answer->result, "resultType", "complete");
    if (!connection_.is_modern() || type == "complete") return reply;
    if (type != "input_required")
      return {.failure = "the server " + entry_.name +
                         " answered in a way skein does not know: " + shortened(type, 40)};
    if (round == most_rounds)
      return {.failure = "the server " + entry_.name + " asked too many questions; given up"};
    AskedAgain next = with_input(std::move(asked.params), *reply.answer->result,
                                 elicitation_ports(entry_.name, ports));
    if (ports.stopped()) return {.failure = "cancelled by the user"};
    if (!next.trouble.empty()) return {.failure = "the server " + entry_.name + " " + next.trouble};
    asked.params = std::move(next.params);
  }
}

Reply Client::request_once(std::string_view method, const rpc::Message& asked,
                           const model::ToolPorts& ports) {
  if (std::string why = wait_until_connected(ports); !why.empty()) return {.failure = why};
  const std::int64_t id = connection_.next_id();
  Json params = asked.params;
  params["_meta"] = connection_.is_modern() ? modern_meta(parts_.version) : Json::object();
  Channel::Parameters beside;
  if (connection_.is_modern() && method == "tools/call") {
    const JsonText schema = connection_.schema_of(string_at(params, "name"));
    beside =
        parameter_headers(parse_json(schema).value_or(Json::object()), at(params, "arguments"));
  }
  params["_meta"]["progressToken"] = id;
  connection_.requests().open(id);
  connection_.send(rpc::request(id, method, params), std::move(beside));
  // It may have died since: then nobody has told this request.
  if (state() != State::connected)
    connection_.requests().settle(id, {.failure = "the server is gone: " + view().why});
  Reply reply = wait_for(id, ports);
  connection_.requests().close(id);
  return reply;
}

Reply Client::wait_for(std::int64_t id, const model::ToolPorts& ports) {
  Watcher watcher(parts_.signal, ports);
  const Clock::duration longest = most_timeouts * entry_.timeout;
  Deadline last = Clock::now() + longest, due = Clock::now() + entry_.timeout;
  for (;;) {
    OpenRequests::Look look = connection_.requests().look(id);
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
      return {.failure = "cancelled by the user; the server was told"};
    }
    if (Clock::now() >= std::min(due, last)) {
      cancel(id, "it took too long");
      const bool moved = due > last;
      return {.failure = "the server " + entry_.name + " did not answer within " +
                         short_duration((moved ? most_timeouts : 1) * entry_.timeout.count()) +
                         (moved ? ", although it showed progress" : "") +
                         "; the call was cancelled"};
    }
    watcher.until(std::min(due, last));
  }
}

// False: there were none.
bool Client::answer_questions(const model::ToolPorts& ports) {
  bool any = false;
  while (const auto question = connection_.requests().next_question()) {
    any = true;
    connection_.send(rpc::response(
        question->id, elicited(question->params, elicitation_ports(entry_.name, ports))));
  }
  return any;
}

// Since the modern era a stream that is closed says so by itself, where there is one.
void Client::cancel(std::int64_t id, const std::string& reason) {
  if (!connection_.is_modern() || !entry_.over_http())
    connection_.send(
        rpc::notification("notifications/cancelled", {{"requestId", id}, {"reason", reason}}));
  connection_.forget(id);
}

}  // namespace skein::mcp
