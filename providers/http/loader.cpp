// Finds and loads the network module the first time a request is sent. `skein --version`, a resumed
// session, an offline turn: none of them needs libcurl, which with its two dozen libraries costs
// more to load than all of skein.
#include "core/text/log.h"
#include "core/text/module.h"
#include "providers/http/http.h"

namespace skein::http {

namespace {

using ExchangeFunction = void (*)(const HttpRequest&, const HttpHandlers&, const model::Ports&,
                                  HttpResponse&);

ExchangeFunction exchange_function() {
  static const auto function = reinterpret_cast<ExchangeFunction>(
      module_symbol("skein_http", "network", "skein_http_exchange"));
  return function;
}

}  // namespace

HttpResponse http_exchange(const HttpRequest& request, const HttpHandlers& handlers,
                           const model::Ports& ports) {
  HttpResponse response;
  exchange_function()(request, handlers, ports, response);
  constexpr std::string_view ends[] = {"complete", "stopped", "unreachable", "cut", "refused"};
  const HttpTimings& timings = response.timings;
  log_debug("http", {{"method", request.method},
                     {"status", response.status},
                     {"end", ends[static_cast<std::size_t>(response.end)]},
                     {"connect_ms", timings.connect_ms},
                     {"first_byte_ms", timings.first_byte_ms},
                     {"total_ms", timings.total_ms},
                     {"sent_bytes", timings.sent_bytes},
                     {"received_bytes", timings.received_bytes}});
  return response;
}

HttpAnswer http_get(const std::string& url, const HttpHeaders& headers,
                    std::chrono::milliseconds patience, const model::Ports& ports) {
  constexpr std::size_t limit = 4 * 1024 * 1024;
  const HttpRequest request{
      .method = "GET", .url = url, .headers = headers, .patience = {patience, patience, patience}};
  HttpAnswer answer;
  HttpHandlers handlers;
  handlers.on_body = [&](std::string_view piece) {
    answer.body += piece;
    return answer.body.size() <= limit;
  };
  answer.response = http_exchange(request, handlers, ports);
  return answer;
}

}  // namespace skein::http
