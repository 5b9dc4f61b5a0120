#include "providers/mcp/http_channel.h"

#include <chrono>
#include <exception>
#include <utility>

#include "core/text/quiet_thread.h"
#include "core/mcp/rpc.h"
#include "core/text/text.h"
#include "providers/wire/sse.h"

namespace skein::mcp {

namespace {

using http::HttpResponse;

constexpr std::chrono::milliseconds connect_time{10'000}, answer_time{1'800'000}, farewell{300};

// Why the server did not take a message, for a person.
std::string refusal_of(const HttpResponse& response, const std::string& body) {
  switch (response.status) {
    case 401:
    case 403:
      return "it wants a login (HTTP " + std::to_string(response.status) +
             "); give it a header in its configuration";
    case 404:
    case 405:
      return "there is no MCP server at that address (HTTP " + std::to_string(response.status) +
             "); if it ends in /sse, try /mcp";
    default: break;
  }
  const std::string said = valid_utf8(utf8_prefix(trimmed(body), 300));
  return "HTTP " + std::to_string(response.status) + (said.empty() ? "" : ": " + said);
}

}  // namespace

// What comes back from one POST, given on message by message.
class HttpChannel::Answer {
 public:
  explicit Answer(HttpChannel& channel) : channel_(channel) {}

  void head(const HttpResponse& head) {
    good_ = head.status >= 200 && head.status < 300;
    stream_ = http::header_value(head.headers, "content-type").starts_with("text/event-stream");
  }
  bool take(std::string_view piece) {
    if (!good_ || !stream_) {
      body_ += piece;
      return body_.size() <= (good_ ? longest_message : 64u << 10);
    }
    for (const wire::SseEvent& event : events_.feed(piece)) give(event.data);
    return !events_.over_limit();
  }
  void end() {
    if (!good_) return;
    if (!stream_ && !trimmed(body_).empty()) give(body_);
    if (const auto last = stream_ ? events_.finish() : std::nullopt) give(last->data);
  }

  bool good() const { return good_; }
  const std::string& body() const { return body_; }
  bool answered() const { return answered_; }
  const std::string& version() const { return version_; }

 private:
  void give(const std::string& text) {
    const std::optional<rpc::Message> message = rpc::read(text);
    if (message && message->is_response()) {
      answered_ = true;
      if (message->result) version_ = string_at(*message->result, "protocolVersion");
    }
    if (!text.empty()) pending(text);
  }
  // The version must be known before the answer to the greeting is acted upon.
  void pending(const std::string& text) {
    if (!version_.empty()) {
      const std::lock_guard hold(channel_.lock_);
      if (channel_.version_.empty()) channel_.version_ = version_;
    }
    channel_.tell(text);
  }

  HttpChannel& channel_;
  bool good_ = false, stream_ = false, answered_ = false;
  wire::SseParser events_{longest_message};
  std::string body_{}, version_{};
};

HttpChannel::HttpChannel(std::string url, Headers headers, Events events)
    : url_(std::move(url)), headers_(std::move(headers)), events_(std::move(events)) {
  for (Worker* worker : {&orders_, &calls_})
    worker->thread = quiet_thread([this, worker] { run(*worker); });
}

HttpChannel::~HttpChannel() {
  HttpChannel::close();
  for (Worker* worker : {&orders_, &calls_}) worker->thread.join();
}

void HttpChannel::close() {
  {
    const std::lock_guard hold(lock_);
    leaving_ = true;
  }
  for (Worker* worker : {&orders_, &calls_}) {
    worker->stop = true;
    worker->wake.notify_all();
  }
}

void HttpChannel::send(JsonText message) {
  const std::optional<rpc::Message> read = rpc::read(message);
  const bool long_one = read && read->is_request() && read->method.ends_with("/call");
  Worker& worker = long_one ? calls_ : orders_;
  {
    const std::lock_guard hold(lock_);
    worker.queue.push_back(std::move(message));
  }
  worker.wake.notify_all();
}

void HttpChannel::forget(std::int64_t id) {
  const std::lock_guard hold(lock_);
  if (calls_.sending == id) calls_.stop = true;
}

void HttpChannel::run(Worker& worker) try {
  for (;;) {
    JsonText message;
    {
      std::unique_lock hold(lock_);
      worker.wake.wait(hold, [&] { return leaving_ || !worker.queue.empty(); });
      if (leaving_) break;
      message = std::move(worker.queue.front());
      worker.queue.pop_front();
      worker.stop = false;
    }
    exchange(worker, message);
  }
  if (&worker == &orders_) leave();
} catch (const std::exception& error) {  // no network module, or a header's command failed
  end(error.what());
}

http::HttpRequest HttpChannel::request_for(const JsonText& message, bool greeting) {
  if (!fixed_) fixed_ = headers_();  // the greeting is the first message, so only one thread asks
  http::HttpRequest request{.url = url_, .headers = *fixed_, .body = message};
  request.headers.emplace_back("content-type", "application/json");
  request.headers.emplace_back("accept", "application/json, text/event-stream");
  request.patience = {connect_time, answer_time, answer_time};
  request.follow_redirects = false;  // its headers are for this address only
  const std::lock_guard hold(lock_);
  if (!greeting && !session_.empty()) request.headers.emplace_back("mcp-session-id", session_);
  if (!greeting && !version_.empty())
    request.headers.emplace_back("mcp-protocol-version", version_);
  return request;
}

void HttpChannel::exchange(Worker& worker, const JsonText& message) {
  const std::optional<rpc::Message> read = rpc::read(message);
  const bool greeting = read && read->method == "initialize";
  const bool asks = read && read->is_request() && read->id.is_number_integer();
  const std::int64_t id = asks ? read->id.get<std::int64_t>() : 0;
  const http::HttpRequest request = request_for(message, greeting);
  {
    const std::lock_guard hold(lock_);
    worker.sending = id;
  }
  Answer answer(*this);
  const HttpResponse response =
      http::http_exchange(request,
                          {.on_head =
                               [&](const HttpResponse& head) {
                                 answer.head(head);
                                 if (!greeting) return;
                                 const std::lock_guard hold(lock_);
                                 session_ = http::header_value(head.headers, "mcp-session-id");
                               },
                           .on_body = [&](std::string_view piece) { return answer.take(piece); },
                           .whole = [&] { return answer.answered(); }},
                          model::Ports{.stop = &worker.stop});
  answer.end();
  {
    const std::lock_guard hold(lock_);
    worker.sending = 0;
  }
  if (!leaving_ && !worker.stop) settle(response, answer, id, greeting);
}

// Whoever waits for the answer to a request hears what became of it.
void HttpChannel::settle(const HttpResponse& response, const Answer& answer, std::int64_t id,
                         bool greeting) {
  if (answer.answered() || (answer.good() && id == 0)) return;
  bool in_session = false;
  {
    const std::lock_guard hold(lock_);
    in_session = !greeting && !session_.empty();
  }
  if (response.status == 404 && in_session) return end(std::string(session_over));
  std::string why = !response.trouble.empty() ? response.trouble
                    : answer.good() ? "its answer was cut; what was asked may have been done"
                                    : refusal_of(response, answer.body());
  if (greeting) return end(why);
  // A server may say in a body with an error's status what it did not like.
  if (const auto said = rpc::read(answer.body()); said && said->failure)
    why = said->failure->message;
  if (id != 0) tell(rpc::failure(id, {rpc::internal_error, why}));
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
  request.patience = {farewell, farewell, farewell};
  request.follow_redirects = false;
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
