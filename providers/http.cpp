// The network module: cpr prepares the request, curl's multi interface runs it, so that one poll
// waits for the network and the keyboard.
#include "providers/http.h"

#include <cpr/cpr.h>
#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <memory>

namespace skein {

namespace {

using Clock = std::chrono::steady_clock;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// What the callbacks of one exchange share. They run inside libcurl's C frames and must not throw.
struct Exchange {
  const HttpHandlers& handlers;
  CURL* handle = nullptr;
  HttpResponse response{};
  bool head_told = false;
  Clock::time_point last_byte = Clock::now();

  void heard() noexcept { last_byte = Clock::now(); }

  void tell_head() {
    if (head_told) return;
    head_told = true;
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<int>(status);
    handlers.on_head(response);
  }

  bool header(std::string_view line) {
    heard();
    if (line.starts_with("HTTP/")) response.headers.clear();  // 100 Continue, or a redirect's end
    if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
      std::string_view value = line.substr(colon + 1);
      while (!value.empty() && std::isspace(static_cast<unsigned char>(value.front())))
        value.remove_prefix(1);
      while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back())))
        value.remove_suffix(1);
      response.headers.emplace_back(lower(std::string(line.substr(0, colon))), value);
    }
    return true;
  }

  bool body(std::string_view piece) {
    heard();
    tell_head();
    handlers.on_body(piece);
    return true;
  }
};

// Waits until the transfer is done, the user stops it, or nothing has been heard for too long.
// Returns curl's result; CURLE_ABORTED_BY_CALLBACK for a stop.
CURLcode run(CURLM* multi, CURL* easy, Exchange& exchange, const HttpRequest& request,
             const Ports& ports) {
  for (;;) {
    int running = 0;
    curl_multi_perform(multi, &running);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left))
      if (message->msg == CURLMSG_DONE && message->easy_handle == easy) return message->data.result;

    if (ports.stopped()) return CURLE_ABORTED_BY_CALLBACK;
    if (Clock::now() - exchange.last_byte > request.idle_timeout) return CURLE_OPERATION_TIMEDOUT;

    // A signal ends this poll, so ^C is noticed at once; the second is for the idle timer.
    curl_waitfd keyboard{ports.input.fd, CURL_WAIT_POLLIN, 0};
    const unsigned watched = ports.input.fd >= 0 ? 1 : 0;
    curl_multi_poll(multi, &keyboard, watched, 1000, nullptr);
    if (watched && keyboard.revents != 0 && ports.input.on_ready) ports.input.on_ready();
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void skein_http_exchange(
    const HttpRequest& request, const HttpHandlers& handlers, const Ports& ports,
    HttpResponse& result) {
  // One multi handle for the life of the program: it keeps connections open between turns.
  static const std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi(curl_multi_init(),
                                                                           curl_multi_cleanup);
  cpr::Session session;
  Exchange exchange{handlers};
  session.SetUrl(cpr::Url{request.url});
  cpr::Header headers;
  for (const auto& [name, value] : request.headers) headers[name] = value;
  session.SetHeader(headers);
  session.SetConnectTimeout(cpr::ConnectTimeout{request.connect_timeout});
  session.SetRedirect(cpr::Redirect{5L, true, false, cpr::PostRedirectFlags::POST_ALL});
  session.SetHeaderCallback(cpr::HeaderCallback{
      [&](const std::string_view& line, intptr_t) { return exchange.header(line); }});
  session.SetWriteCallback(cpr::WriteCallback{
      [&](const std::string_view& piece, intptr_t) { return exchange.body(piece); }});
  if (request.method == "POST") {
    session.SetBody(cpr::Body{request.body});
    session.PreparePost();
  } else {
    session.PrepareGet();
  }

  exchange.handle = session.GetCurlHolder()->handle;
  curl_multi_add_handle(multi.get(), exchange.handle);
  const CURLcode code = run(multi.get(), exchange.handle, exchange, request, ports);
  curl_multi_remove_handle(multi.get(), exchange.handle);

  if (code == CURLE_OK) exchange.tell_head();
  result = std::move(exchange.response);
  using End = HttpResponse::End;
  result.end = code == CURLE_OK                    ? End::complete
               : code == CURLE_ABORTED_BY_CALLBACK ? End::stopped
               : exchange.head_told                ? End::cut
                                                   : End::unreachable;
  if (code != CURLE_OK) result.trouble = curl_easy_strerror(code);
}

}  // namespace skein
