#include "providers/http/web_transport.h"

#include <algorithm>
#include <chrono>

#include "providers/http/http.h"

namespace skein::http {

namespace {

constexpr std::chrono::milliseconds connect_time{10'000};

HttpRequest request_for(const web::Ask& ask) {
  HttpRequest request{.method = "GET", .url = ask.url};
  request.headers = {{"accept",
                      "text/markdown, text/plain;q=0.9, text/html;q=0.8, application/json;q=0.8, "
                      "*/*;q=0.1"},
                     {"accept-encoding", "gzip"}};
  request.patience = {.connect = std::min(connect_time, ask.time),
                      .answer = ask.time,
                      .idle = ask.time,
                      .whole = ask.time};
  request.redirects = HttpRequest::Redirects::hand_back;
  request.refuse_address = ask.refusal;
  return request;
}

}  // namespace

web::Told ask_web(const web::Ask& ask) {
  web::Told told;
  HttpHandlers handlers;
  handlers.stopped = ask.stopped;
  handlers.on_body = [&](std::string_view piece) {
    const std::size_t room = ask.most_bytes - told.body.size();
    told.body += piece.substr(0, room);
    told.cut = piece.size() > room;
    return !told.cut;
  };
  model::Ports ports;
  ports.input.fd = ask.wake_fd;
  const HttpResponse response = http_exchange(request_for(ask), handlers, ports);
  told.proxied = response.proxied;
  told.stopped = response.end == HttpResponse::End::stopped;
  const bool answered =
      response.end == HttpResponse::End::complete || response.end == HttpResponse::End::refused;
  if (!answered) {
    told.trouble = response.trouble.empty() ? "there is no answer" : response.trouble;
    return told;
  }
  told.status = response.status;
  told.type = header_value(response.headers, "content-type");
  told.location = header_value(response.headers, "location");
  told.modified = header_value(response.headers, "last-modified");
  return told;
}

}  // namespace skein::http
