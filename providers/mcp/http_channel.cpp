#include "providers/mcp/http_channel.h"

#include "core/mcp/rpc.h"
#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "providers/wire/sse.h"

namespace skein::mcp {

namespace {

using http::HttpResponse;

constexpr std::string_view mark_begins = "=?base64?", mark_ends = "?=";

// What the request is about; empty: its method says it all.
std::string subject_of(const rpc::Message& message) {
  if (message.method == "resources/read") return string_at(message.params, "uri");
  if (message.method == "tools/call" || message.method == "prompts/get")
    return string_at(message.params, "name");
  return {};
}

constexpr std::chrono::milliseconds connect_time{10'000}, answer_time{1'800'000}, farewell{300};
// A stream that was cut is taken up again after this time, and once more after half as much again.
constexpr std::chrono::milliseconds first_rest{1'000};
constexpr int most_resumptions = 2;

// Why the server did not take a message, for a person.
std::string refusal_of(const HttpResponse& response, const std::string& body) {
  const std::string status = "HTTP " + std::to_string(response.status);
  if (response.status == 401 || response.status == 403)
    return "it requires a login (" + status + "); set a header in its configuration";
  if (response.status == 404 || response.status == 405)
    return "there is no MCP server at that address (" + status + "); if it ends in /sse, try /mcp";
  const std::string said = valid_utf8(utf8_prefix(trimmed(body), 300));
  return status + (said.empty() ? "" : ": " + said);
}

}  // namespace

std::string header_text(const std::string& value) {
  const bool plain = std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
  const bool padded = value.starts_with(' ') || value.ends_with(' ');
  const bool marked = value.starts_with(mark_begins) && value.ends_with(mark_ends);
  if (plain && !padded && !marked) return value;
  return std::string(mark_begins) + base64(value) + std::string(mark_ends);
}

http::HttpHeaders message_headers(std::string_view text, const Channel::Parameters& parameters) {
  const std::optional<rpc::Message> message = rpc::read(text);
  if (!message) return {};
  const std::string version = rpc::version_in(*message);
  if (version.empty()) return {};
  http::HttpHeaders out{{"mcp-protocol-version", version},
                        {"mcp-method", header_text(message->method)}};
  if (const std::string subject = subject_of(*message); !subject.empty())
    out.emplace_back("mcp-name", header_text(subject));
  for (const auto& [name, value] : parameters) out.emplace_back(name, header_text(value));
  return out;
}

// What comes back from one POST, given on message by message.
struct HttpChannel::Answer {
  HttpChannel& channel;
  bool good = false, is_stream = false, said_something = false, answered = false;
  wire::SseParser events{longest_message};
  std::string body{}, last{};

  void head(const HttpResponse& head) {
    good = head.status >= 200 && head.status < 300;
    is_stream = http::header_value(head.headers, "content-type").starts_with("text/event-stream");
  }
  bool take(std::string_view piece) {
    if (!good || !is_stream) {
      body += piece;
      return body.size() <= (good ? longest_message : 64u << 10);
    }
    for (const wire::SseEvent& event : events.feed(piece)) give(event.data);
    return !events.over_limit();
  }
  void end() {
    if (!good) return;
    if (!is_stream && !trimmed(body).empty()) give(body);
    if (const auto rest = is_stream ? events.finish() : std::nullopt) give(rest->data);
  }
  // The number of the last event, if the server numbers them.
  const std::string& last_event() const { return last.empty() ? events.last_id() : last; }

  void give(const std::string& text) {
    if (text.empty()) return;
    said_something = true;
    const std::optional<rpc::Message> message = rpc::read(text);
    if (message && message->is_response()) {
      answered = true;
      if (message->result) take_version(string_at(*message->result, "protocolVersion"));
    }
    channel.tell(text);
  }
  // It must be known before the answer to the greeting is acted upon.
  void take_version(const std::string& version) const {
    const std::lock_guard hold(channel.lock_);
    if (channel.version_.empty()) channel.version_ = version;
  }
};

HttpChannel::HttpChannel(std::string url, Headers headers, Events events)
    : url_(std::move(url)), headers_(std::move(headers)), events_(std::move(events)) {
  for (Worker* worker : {&orders_, &calls_})
    worker->thread = quiet_thread([this, worker] { run(*worker); });
}

HttpChannel::~HttpChannel() {
  HttpChannel::close();
  for (Worker* worker : {&orders_, &calls_}) worker->thread.join();
  if (ears_.thread.joinable()) ears_.thread.join();  // which one of those began
}

void HttpChannel::close() {
  {
    const std::lock_guard hold(lock_);
    leaving_ = true;
  }
  for (Worker* worker : {&orders_, &calls_, &ears_}) {
    worker->stop = true;
    worker->wake.notify_all();
  }
}

void HttpChannel::send(JsonText message, Parameters parameters) {
  Outgoing outgoing{std::move(message), std::move(parameters)};
  bool long_one = false;
  if (const std::optional<rpc::Message> read = rpc::read(outgoing.message)) {
    const bool asks = read->is_request() && read->id.is_number_integer();
    outgoing.id = asks ? read->id.get<std::int64_t>() : 0;
    outgoing.greeting = read->method == "initialize";
    outgoing.modern = !message_headers(outgoing.message, {}).empty();
    long_one = asks && read->method.ends_with("/call");
  }
  Worker& worker = long_one ? calls_ : orders_;
  {
    const std::lock_guard hold(lock_);
    worker.queue.push_back(std::move(outgoing));
  }
  worker.wake.notify_all();
}

// The server's own stream, which has a thread while it is there.
void HttpChannel::listen(JsonText request) {
  const std::lock_guard hold(lock_);
  if (leaving_ || ears_.thread.joinable()) return;
  listening_ = std::move(request);
  ears_.thread = quiet_thread([this] { hear(); });
}

void HttpChannel::forget(std::int64_t id) {
  const std::lock_guard hold(lock_);
  for (Worker* worker : {&orders_, &calls_}) {
    std::erase_if(worker->queue, [&](const Outgoing& each) { return each.id == id; });
    if (worker->sending != id) continue;
    worker->stop = true;
    worker->wake.notify_all();
  }
}

void HttpChannel::run(Worker& worker) try {
  for (;;) {
    Outgoing outgoing;
    {
      std::unique_lock hold(lock_);
      worker.wake.wait(hold, [&] { return leaving_ || !worker.queue.empty(); });
      if (leaving_) break;
      outgoing = std::move(worker.queue.front());
      worker.queue.pop_front();
      worker.stop = false;
      worker.sending = outgoing.id;
    }
    Answer answer{*this};
    const HttpResponse response = talk(worker, request_for(outgoing), answer, outgoing.greeting);
    const bool resumed = outgoing.id != 0 && !outgoing.modern && resume(worker, answer);
    if (!resumed && !leaving_ && !worker.stop) settle(response, answer, outgoing);
    const std::lock_guard hold(lock_);
    worker.sending = 0;
  }
  if (&worker == &orders_) leave();
} catch (const std::exception& error) {  // no network module, or a header's command failed
  end(error.what());
}

http::HttpRequest HttpChannel::request_for(const Outgoing& outgoing) {
  // Only one thread has something to send at first.
  if (!fixed_) fixed_ = headers_([this] { return leaving_.load(); });
  http::HttpRequest request{.url = url_, .headers = *fixed_, .body = outgoing.message};
  request.headers.emplace_back("content-type", "application/json");
  request.headers.emplace_back("accept", "application/json, text/event-stream");
  request.timeouts = {connect_time, answer_time, answer_time};
  request.redirects =
      http::HttpRequest::Redirects::refuse;  // its headers are for this address only
  for (auto& header : message_headers(outgoing.message, outgoing.parameters))
    request.headers.push_back(std::move(header));
  if (outgoing.greeting || outgoing.modern) return request;
  const std::lock_guard hold(lock_);
  if (!session_.empty()) request.headers.emplace_back("mcp-session-id", session_);
  if (!version_.empty()) request.headers.emplace_back("mcp-protocol-version", version_);
  return request;
}

// What the server says by itself, in the stateful protocol, or the rest of an answer that was cut.
http::HttpRequest HttpChannel::stream_from(const std::string& last_event) {
  http::HttpRequest request = request_for({});
  request.method = "GET";
  std::erase_if(request.headers, [](const auto& each) { return each.first == "content-type"; });
  for (auto& [name, value] : request.headers)
    if (name == "accept") value = "text/event-stream";
  if (!last_event.empty()) request.headers.emplace_back("last-event-id", last_event);
  return request;
}

HttpResponse HttpChannel::talk(Worker& worker, const http::HttpRequest& request, Answer& answer,
                               bool greeting) {
  const bool hears = &worker == &ears_;
  HttpResponse response =
      http::http_exchange(request,
                          {.on_head =
                               [&](const HttpResponse& head) {
                                 answer.head(head);
                                 if (!greeting) return;
                                 const std::lock_guard hold(lock_);
                                 session_ = http::header_value(head.headers, "mcp-session-id");
                               },
                           .on_body = [&](std::string_view piece) { return answer.take(piece); },
                           .whole = [&] { return !hears && answer.answered; }},
                          model::Ports{.stop = &worker.stop});
  answer.end();
  return response;
}

// An answer that was cut, if its server numbers what it sends. True: the rest has come.
bool HttpChannel::resume(Worker& worker, Answer& answer) {
  std::chrono::milliseconds pause = first_rest;
  for (int i = 0; i < most_resumptions; ++i, pause += pause / 2) {
    if (!answer.good || !answer.is_stream || answer.answered || answer.last_event().empty()) break;
    if (!rest(worker, pause)) break;
    Answer more{*this};
    talk(worker, stream_from(answer.last_event()), more, false);
    if (more.answered) return true;
    if (!more.last_event().empty()) answer.last = more.last_event();
  }
  return false;
}

// False: there is no time to.
bool HttpChannel::rest(Worker& worker, std::chrono::milliseconds time) {
  std::unique_lock hold(lock_);
  return !worker.wake.wait_for(hold, time, [&] { return leaving_ || worker.stop; });
}

// Until we leave, the server does not offer it, or it breaks off too often.
void HttpChannel::hear() try {
  std::chrono::milliseconds pause = first_rest;
  std::string last;
  for (int cuts = 0; !leaving_ && cuts <= most_resumptions; ++cuts, pause += pause / 2) {
    // Changes while no stream was open are not sent again.
    if (cuts > 0 && last.empty()) tell(rpc::notification("notifications/tools/list_changed"));
    Answer answer{*this};
    const bool asks = !listening_.empty();
    talk(ears_, asks ? request_for({.message = listening_, .modern = true}) : stream_from(last),
         answer, false);
    if (leaving_ || !answer.good || !answer.is_stream) return;
    if (answer.said_something) {
      cuts = 0;
      pause = first_rest;
    }
    last = asks ? "" : answer.last_event();
    if (!rest(ears_, pause)) return;
  }
} catch (const std::exception&) {  // without it lists are only as new as the last answer
}

// Reports what became of a request.
void HttpChannel::settle(const HttpResponse& response, const Answer& answer,
                         const Outgoing& outgoing) {
  if (answer.answered || (answer.good && outgoing.id == 0)) return;
  bool in_session = false;
  {
    const std::lock_guard hold(lock_);
    in_session = !outgoing.greeting && !outgoing.modern && !session_.empty();
  }
  if (response.status == 404 && in_session) return end(std::string(session_over));
  rpc::Failure failure{rpc::not_taken, refusal_of(response, answer.body)};
  if (!response.trouble.empty())
    failure = {answer.good ? rpc::internal_error : rpc::not_reached, response.trouble};
  else if (answer.good)
    failure = {rpc::internal_error, "its answer was cut off; the call may have been executed"};
  if (outgoing.greeting) return end(failure.message);
  // A server may say in a body with an error's status what it did not like.
  if (const auto said = rpc::read(answer.body); said && said->failure) failure = *said->failure;
  if (outgoing.id != 0)
    tell(rpc::failure(outgoing.id, rpc::with_http_status(failure, response.status)));
}

// A session that is over costs the server nothing more. It may not know how.
void HttpChannel::leave() {
  http::HttpRequest request{.method = "DELETE", .url = url_};
  {
    const std::lock_guard hold(lock_);
    if (session_.empty()) return;
    request.headers = *fixed_;
    request.headers.emplace_back("mcp-session-id", session_);
    request.headers.emplace_back("mcp-protocol-version", version_);
  }
  request.timeouts = {farewell, farewell, farewell};
  request.redirects = http::HttpRequest::Redirects::refuse;
  http::http_exchange(request, {}, {});
}

void HttpChannel::tell(const JsonText& message) {
  const std::lock_guard hold(events_lock_);
  if (!leaving_ && !closed_) events_.message(message);
}

void HttpChannel::end(const std::string& why) {
  const std::lock_guard hold(events_lock_);
  if (!leaving_ && !std::exchange(closed_, true)) events_.closed(why);
}

}  // namespace skein::mcp
