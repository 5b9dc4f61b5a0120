// One HTTP exchange, streamed. The implementation (cpr, libcurl) lives in a module of its own that
// is loaded on first use: see http_loader.cpp.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/event.h"

namespace skein {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;  // names in lower case

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  HttpHeaders headers{};
  std::string body{};
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds idle_timeout{
      120'000};  // between two bytes; a healthy stream has no limit
};

struct HttpResponse {
  enum class End {
    complete,     // the whole response arrived
    stopped,      // by the user
    unreachable,  // no connection, or it died before the first byte of the response
    cut,          // it died, or fell silent, in the middle
  } end = End::complete;
  int status = 0;
  HttpHeaders headers{};
  std::string trouble{};  // what went wrong, for the user
};

struct HttpHandlers {
  // Called once, when status and headers are there; then once for every piece of the body.
  std::function<void(const HttpResponse& head)> on_head = [](const HttpResponse&) {};
  std::function<void(std::string_view piece)> on_body = [](std::string_view) {};
};

// Runs on the calling thread. Never throws for what the network does. While it waits it also
// watches ports.input, and it ends within milliseconds when ports.stopped() becomes true.
HttpResponse http_exchange(const HttpRequest& request, const HttpHandlers& handlers,
                           const Ports& ports);

}  // namespace skein
