// One HTTP exchange, streamed. The implementation (cpr, libcurl) is in a module that is
// loaded on first use: see loader.cpp.
#pragma once

#include "core/model/event.h"

namespace skein::http {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;  // names in lower case

// The value of the first header of that name (lower case); empty if there is none. Inline, because
// the module links nothing of skein.
inline std::string_view header_value(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [each, value] : headers)
    if (each == name) return value;
  return {};
}

// Three silences, no limit on a healthy stream: until the connection is there, until the answer
// begins (models read and think before they speak), and between two pieces of it.
struct Timeouts {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds answer{600'000};
  std::chrono::milliseconds idle{300'000};
  std::chrono::milliseconds retry{1'000};  // before the second try; later ones come after longer
  std::chrono::milliseconds whole{0};      // the limit there is after all, on all of it; 0: none
};

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  HttpHeaders headers{};
  std::string body{};
  Timeouts timeouts{};
  enum class Redirects {
    follow,
    refuse,     // one is a failure
    hand_back,  // one is an answer like any other
  } redirects = Redirects::follow;
  // Why no connection may be made to an IP address; empty: one may. Asked right before each one is
  // made, which then is a new one; not asked where a proxy makes it. May be empty.
  std::function<std::string(const std::string& address, int port)> refuse_address{};
};

// How long the last hop took, and what came over the wire.
struct HttpTimings {
  std::int64_t connect_ms = 0;  // 0: on a connection that was open already
  std::int64_t first_byte_ms = 0;
  std::int64_t total_ms = 0;
  std::int64_t sent_bytes = 0, received_bytes = 0;  // of bodies
};

struct HttpResponse {
  enum class End {
    complete,     // the whole response arrived
    stopped,      // by the user
    unreachable,  // no connection, or it died before the first byte of the response
    cut,          // it died, or fell silent, in the middle
    refused,      // on_body wanted no more
  } end = End::complete;
  int status = 0;
  HttpHeaders headers{};
  std::string trouble{};  // what went wrong, for the user; empty if complete
  bool again = false;     // unreachable or cut, and the next try may go better
  HttpTimings timings{};
  bool proxied = false;  // known only if `refuse_address` was there to be asked
};

struct HttpHandlers {
  // Called once, when status and headers are there; then once for every piece of the body, which
  // comes uncompressed. What they throw ends the exchange and comes out of http_exchange.
  std::function<void(const HttpResponse& head)> on_head = [](const HttpResponse&) {};
  std::function<bool(std::string_view piece)> on_body = [](std::string_view) { return true; };
  // True once everything of use has arrived. A server that then neither sends nor ends is not
  // waited for: after a second of silence the answer counts as complete.
  std::function<bool()> whole = [] { return false; };
  // Besides ports.stopped(), for who has no flag to point to.
  std::function<bool()> stopped = [] { return false; };
};

// Runs on the calling thread. Never throws for what the network does. While it waits it also
// watches ports.input, and it ends within milliseconds when ports.stopped() becomes true.
HttpResponse http_exchange(const HttpRequest& request, const HttpHandlers& handlers,
                           const model::Ports& ports);

// Why no server can be reached securely from this machine; empty: nothing is known to be wrong.
std::string network_trouble();

// The whole of a small answer; a body of more than 4 MiB is refused.
struct HttpAnswer {
  HttpResponse response{};
  std::string body{};
};
HttpAnswer http_answer(const HttpRequest& request, const model::Ports& ports);
HttpAnswer http_get(const std::string& url, const HttpHeaders& headers,
                    std::chrono::milliseconds timeout, const model::Ports& ports);

}  // namespace skein::http
