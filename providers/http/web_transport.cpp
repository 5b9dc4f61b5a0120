#include "providers/http/web_transport.h"

#include "providers/http/http.h"

namespace skein::http {

web::WebAnswer ask_web(const web::Ask& ask) {
  constexpr std::chrono::milliseconds connect_time{10'000};
  HttpRequest request{.method = "GET", .url = ask.url};
  request.headers = {{"accept",
                      "text/markdown, text/plain;q=0.9, text/html;q=0.8, application/json;q=0.8, "
                      "*/*;q=0.1"},
                     {"accept-encoding", "gzip"}};
  request.timeouts = {.connect = std::min(connect_time, ask.time),
                      .answer = ask.time,
                      .idle = ask.time,
                      .whole = ask.time};
  request.redirects = HttpRequest::Redirects::hand_back;
  request.refuse_address = ask.refusal;
  web::WebAnswer page;
  HttpHandlers handlers;
  handlers.stopped = ask.stopped;
  handlers.on_body = [&](std::string_view piece) {
    const std::size_t room = ask.most_bytes - page.body.size();
    page.body += piece.substr(0, room);
    page.cut = piece.size() > room;
    return !page.cut;
  };
  model::Ports ports;
  ports.input.fd = ask.wake_fd;
  const HttpResponse response = http_exchange(request, handlers, ports);
  page.proxied = response.proxied;
  page.stopped = response.end == HttpResponse::End::stopped;
  const bool answered =
      response.end == HttpResponse::End::complete || response.end == HttpResponse::End::refused;
  if (!answered) {
    page.trouble = response.trouble.empty() ? "there is no answer" : response.trouble;
    return page;
  }
  page.status = response.status;
  page.type = header_value(response.headers, "content-type");
  page.location = header_value(response.headers, "location");
  page.modified = header_value(response.headers, "last-modified");
  return page;
}

}  // namespace skein::http
