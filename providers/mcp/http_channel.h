// A server that is reached by HTTP: every message is a POST to its one address, and what it answers
// is a message or a stream of them ("streamable HTTP"). In the stateful protocol there is a
// session, whose number comes with the greeting; in the modern one every message is complete.
#pragma once

#include "core/mcp/channel.h"
#include "providers/http/http.h"

namespace skein::mcp {

// A value as a header can hold it: as it is, or in base64 with a mark around it.
std::string header_text(const std::string& value);

// The headers by which a request of the stateless protocol can be routed without being read; empty
// for any other message. Pure.
http::HttpHeaders message_headers(std::string_view message, const Channel::Parameters& parameters);

class HttpChannel : public Channel {
 public:
  static constexpr std::size_t longest_message = 64u << 20;
  // The headers of the entry; asked for on a thread of the channel's own, since commands may have
  // to be run for them, which end when `stopped` says so. Throws Error.
  using Headers = std::function<http::HttpHeaders(const std::function<bool()>& stopped)>;

  HttpChannel(std::string url, Headers headers, Events events);
  ~HttpChannel() override;

  using Channel::send;
  void send(JsonText message, Parameters parameters) override;
  void listen(JsonText request) override;
  void close() override;
  void forget(std::int64_t id) override;

 private:
  struct Outgoing {
    JsonText message{};
    Parameters parameters{};
    std::int64_t id = 0;  // of a request; 0: it is none
    bool greeting = false;
    bool modern = false;  // it needs no session
  };
  // One thread and what it is to send. There are two, so that a call that takes its time does not
  // keep its own cancellation waiting; and a third for what the server says unasked.
  struct Worker {
    std::deque<Outgoing> queue{};
    std::atomic<bool> stop{false};
    std::int64_t sending = 0;  // the id of the request under way; 0: none
    std::condition_variable wake{};
    std::thread thread{};
  };
  struct Answer;

  void run(Worker& worker);
  void hear();
  http::HttpResponse talk(Worker& worker, const http::HttpRequest& request, Answer& answer,
                          bool greeting);
  bool resume(Worker& worker, Answer& answer);
  bool rest(Worker& worker, std::chrono::milliseconds time);
  http::HttpRequest request_for(const Outgoing& outgoing);
  http::HttpRequest stream_from(const std::string& last_event);
  void settle(const http::HttpResponse& response, const Answer& answer, const Outgoing& outgoing);
  void leave();
  void tell(const JsonText& message);
  void end(const std::string& why);

  std::string url_;
  Headers headers_;
  Events events_;
  std::atomic<bool> leaving_{false};
  std::mutex events_lock_{};  // no two events at a time
  bool closed_ = false;       // reported

  std::mutex lock_{};  // for the queues and what follows
  std::optional<http::HttpHeaders> fixed_{};
  std::string session_{}, version_{};
  JsonText listening_{};  // what is sent to hear what the server says unasked; empty: GET
  Worker orders_{}, calls_{}, ears_{};
};

}  // namespace skein::mcp
