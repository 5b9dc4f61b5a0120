// Finds and loads the network module the first time a request is sent. `skein --version`, a resumed
// session, an offline turn: none of them needs libcurl, which with its two dozen libraries costs
// more to load than all of skein.
#include "core/text/log.h"
#include "providers/http/http_module.h"

namespace skein::http {

namespace {

HttpResponse response_in(const ResponseView& view) {
  return {.end = view.end,
          .status = view.status,
          .headers = headers_in(view.headers),
          .trouble = std::string(view.trouble),
          .again = view.again,
          .timings = view.timings,
          .proxied = view.proxied};
}

}  // namespace

HttpResponse http_exchange(const HttpRequest& request, const HttpHandlers& handlers,
                           const model::Ports& ports) {
  HttpResponse response;
  const std::vector<HeaderView> headers = view_of(request.headers);
  Callbacks callback;
  module_functions<HttpModule>().exchange(
      {.method = request.method,
       .url = request.url,
       .body = request.body,
       .headers = headers,
       .connect_ms = request.timeouts.connect.count(),
       .answer_ms = request.timeouts.answer.count(),
       .idle_ms = request.timeouts.idle.count(),
       .whole_ms = request.timeouts.whole.count(),
       .redirects = request.redirects,
       .checks_addresses = request.refuse_address != nullptr,
       .input = ports.input.fd},
      {.on_head = callback([&](const ResponseView& head) { handlers.on_head(response_in(head)); }),
       .on_end = callback([&](const ResponseView& end) { response = response_in(end); }),
       .on_body = callback([&](Bytes piece) { return handlers.on_body(piece); }),
       .goes_on = callback([&] { return !ports.stopped() && !handlers.stopped(); }),
       .whole = callback([&] { return handlers.whole(); }),
       .on_input = callback([&] {
         if (ports.input.on_ready) ports.input.on_ready();
       }),
       .may_connect = callback([&](Bytes address, int port, TextSink why_not) {
         const std::string why = request.refuse_address(std::string(address), port);
         why_not(why);
         return why.empty();
       })});
  callback.rethrow();
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

std::string network_trouble() {
  std::string trouble;
  module_functions<HttpModule>().look_for_trouble(into(trouble));
  return trouble;
}

HttpAnswer http_get(const std::string& url, const HttpHeaders& headers,
                    std::chrono::milliseconds timeout, const model::Ports& ports) {
  return http_answer(
      {.method = "GET", .url = url, .headers = headers, .timeouts = {timeout, timeout, timeout}},
      ports);
}

HttpAnswer http_answer(const HttpRequest& request, const model::Ports& ports) {
  constexpr std::size_t limit = 4 * 1024 * 1024;
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
