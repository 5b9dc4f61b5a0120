// A server that is reached by HTTP: every message is a POST to its one address, and what it answers
// is a message or a stream of them ("streamable HTTP", as before 2026-07-28).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/mcp/channel.h"
#include "providers/http/http.h"

namespace skein::mcp {

class HttpChannel : public Channel {
 public:
  static constexpr std::size_t longest_message = 64u << 20;
  // The headers of the entry; asked for on a thread of the channel's own, since commands may have
  // to be run for them. Throws Error.
  using Headers = std::function<http::HttpHeaders()>;

  HttpChannel(std::string url, Headers headers, Events events);
  ~HttpChannel() override;

  void send(JsonText message) override;
  void close() override;
  void forget(std::int64_t id) override;

 private:
  // One thread and what it is to send. There are two, so that a call that takes its time does not
  // keep its own cancellation waiting.
  struct Worker {
    std::deque<JsonText> queue{};
    std::atomic<bool> stop{false};
    std::int64_t sending = 0;  // the id of the request under way; 0: none
    std::condition_variable wake{};
    std::thread thread{};
  };
  class Answer;

  void run(Worker& worker);
  void exchange(Worker& worker, const JsonText& message);
  http::HttpRequest request_for(const JsonText& message, bool greeting);
  void settle(const http::HttpResponse& response, const Answer& answer, std::int64_t id,
              bool greeting);
  void leave();
  void tell(const JsonText& message);
  void end(const std::string& why);

  std::string url_;
  Headers headers_;
  Events events_;
  std::atomic<bool> leaving_{false};
  std::mutex events_lock_{};  // no two events at a time
  bool closed_ = false;       // told

  std::mutex lock_{};  // for the queues and what follows
  std::optional<http::HttpHeaders> fixed_{};
  std::string session_{}, version_{};
  Worker orders_{}, calls_{};
};

}  // namespace skein::mcp
