// The network module: cpr prepares the request, curl's multi interface runs it, so that one poll
// waits for the network and the keyboard.
#include "providers/http/http.h"

#include <cpr/cpr.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>

#include "core/text/text.h"
#include "providers/http/curl.h"

namespace skein::http {

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;
using End = HttpResponse::End;

constexpr int max_redirects = 5;
constexpr std::size_t max_header_bytes = 256 * 1024;
constexpr std::size_t max_passed_over = 1024 * 1024;
// The one wait that is not core/text/wait: only curl knows its sockets, and curl_multi_poll watches
// the keyboard beside them. It cannot close the gap between looking at the stop flag and falling
// asleep, so a signal that lands in it is noticed one tick later.
constexpr Milliseconds tick{20};

// What must stay with the host it was meant for.
bool is_credential(std::string_view header) {
  constexpr std::string_view names[] = {"authorization", "x-api-key", "x-goog-api-key", "api-key",
                                        "cookie"};
  return std::ranges::find(names, header) != std::end(names);
}

bool redirects(int status) {
  return status == 301 || status == 302 || status == 307 || status == 308;
}

// What the callbacks of one hop share. They run inside libcurl's C frames, which an exception must
// not cross: it is kept here and thrown again outside.
struct Hop {
  const HttpHandlers& handlers;
  CURL* handle = nullptr;
  const HttpRequest& request;
  bool may_redirect = request.redirects != HttpRequest::Redirects::hand_back;
  HttpResponse response{};
  std::size_t header_bytes = 0;
  std::size_t passed_over = 0;  // of a redirect's body
  bool head_whole = false;
  bool head_told = false;
  bool refused = false;
  std::exception_ptr thrown{};
  bool heard_any = false;
  curl_off_t sent = 0;
  std::string why{};  // it was ended by ourselves
  Clock::time_point began = Clock::now();
  Clock::time_point last_sign = began;  // of life

  bool redirected() const {
    return may_redirect && redirects(response.status) &&
           !header_value(response.headers, "location").empty();
  }

  void tell_head() {
    if (head_told || redirected()) return;
    head_told = true;
    handlers.on_head(response);
  }

  bool header(std::string_view line) noexcept {
    return guarded([&] { return take_header(line); });
  }
  bool body(std::string_view piece) noexcept {
    return guarded([&] { return take_body(piece); });
  }

  bool guarded(const auto& work) noexcept {
    heard();
    try {
      return work();
    } catch (const std::exception&) {
      thrown = std::current_exception();
      return false;
    }
  }

  bool take_header(std::string_view line) {
    if (line.starts_with("HTTP/")) {
      response.headers.clear();  // of 100 Continue or a proxy's answer, which begin alike
      const std::size_t space = line.find(' ');
      response.status =
          space == std::string_view::npos ? 0 : std::atoi(std::string(line.substr(space)).c_str());
    }
    head_whole = trimmed(line).empty();
    header_bytes += line.size();
    if (header_bytes > max_header_bytes) return false;
    if (const std::size_t colon = line.find(':'); colon != std::string_view::npos)
      response.headers.emplace_back(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    return true;
  }

  bool take_body(std::string_view piece) {
    if (redirected()) return (passed_over += piece.size()) <= max_passed_over;
    tell_head();
    refused = !handlers.on_body(piece);
    return !refused;
  }

  // Whether a connection may be made to this address.
  bool may_connect(const sockaddr& address, socklen_t size) noexcept {
    if (response.proxied) return true;
    try {
      const auto [host, port] = numeric(address, size);
      why = request.refuse_address(host, port);
      return why.empty();
    } catch (const std::exception&) {
      thrown = std::current_exception();
      return false;
    }
  }

  void heard() noexcept {
    heard_any = true;
    last_sign = Clock::now();
  }

  // A long upload is no silence.
  void look_at_upload() {
    curl_off_t bytes = 0;
    curl_easy_getinfo(handle, CURLINFO_SIZE_UPLOAD_T, &bytes);
    if (bytes != sent) sent = bytes, last_sign = Clock::now();
  }
};

// Every connection is made anew: one that is open already was made when something else counted.
void check_addresses(Hop& hop) {
  hop.response.proxied = settle_proxy(hop.handle, hop.request.url);
  curl_easy_setopt(hop.handle, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(hop.handle, CURLOPT_FORBID_REUSE, 1L);
  curl_easy_setopt(hop.handle, CURLOPT_OPENSOCKETDATA, &hop);
  curl_easy_setopt(
      hop.handle, CURLOPT_OPENSOCKETFUNCTION,
      +[](void* data, curlsocktype purpose, curl_sockaddr* address) -> curl_socket_t {
        const bool may = static_cast<Hop*>(data)->may_connect(address->addr, address->addrlen);
        return may ? open_socket(nullptr, purpose, address) : CURL_SOCKET_BAD;
      });
}

// A handle's stay in the multi handle, however it ends.
struct Stay {
  CURLM* multi;
  CURL* easy;
  Stay(CURLM* in, CURL* what) : multi(in), easy(what) { curl_multi_add_handle(multi, easy); }
  ~Stay() { curl_multi_remove_handle(multi, easy); }
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;
};

// Waits until the transfer is done, the user stops it, or nothing has been heard for too long.
// Returns curl's result; CURLE_ABORTED_BY_CALLBACK for a stop.
CURLcode run(CURLM* multi, Hop& hop, const HttpRequest& request, const model::Ports& ports) {
  const Stay stay(multi, hop.handle);
  for (;;) {
    int running = 0;
    curl_multi_perform(multi, &running);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left))
      if (message->msg == CURLMSG_DONE && message->easy_handle == hop.handle)
        return message->data.result;

    if (ports.stopped() || hop.handlers.stopped()) return CURLE_ABORTED_BY_CALLBACK;
    if (request.patience.whole > Milliseconds(0) &&
        Clock::now() - hop.began > request.patience.whole) {
      hop.why = "the answer was not there after " +
                std::to_string((request.patience.whole.count() + 999) / 1000) + " s";
      return CURLE_OPERATION_TIMEDOUT;
    }
    hop.look_at_upload();
    const auto silence = Clock::now() - hop.last_sign;
    if (silence > Milliseconds(1000) && hop.handlers.whole()) return CURLE_OK;
    if (silence > (hop.heard_any ? request.patience.idle : request.patience.answer))
      return CURLE_OPERATION_TIMEDOUT;

    curl_waitfd keyboard{ports.input.fd, CURL_WAIT_POLLIN, 0};
    const unsigned watched = ports.input.fd >= 0 ? 1 : 0;
    curl_multi_poll(multi, &keyboard, watched, static_cast<int>(tick.count()), nullptr);
    if (watched != 0 && keyboard.revents != 0 && ports.input.on_ready) ports.input.on_ready();
  }
}

// One request and its response, redirects not followed. Returns where a redirect points.
std::optional<std::string> one_hop(CURLM* multi, const HttpRequest& request, Hop& hop,
                                   const model::Ports& ports) {
  cpr::Session session;
  session.SetUrl(cpr::Url{request.url});
  session.SetUserAgent(cpr::UserAgent{"skein/" SKEIN_VERSION});
  cpr::Header headers;
  for (const auto& [name, value] : request.headers) headers[name] = value;
  session.SetHeader(headers);
  session.SetConnectTimeout(cpr::ConnectTimeout{request.patience.connect});
  session.SetRedirect(cpr::Redirect{0L, false, false, cpr::PostRedirectFlags::NONE});
  session.SetHeaderCallback(cpr::HeaderCallback{
      [&](const std::string_view& line, intptr_t) { return hop.header(line); }});
  session.SetWriteCallback(
      cpr::WriteCallback{[&](const std::string_view& piece, intptr_t) { return hop.body(piece); }});
  if (request.method == "POST") {
    session.SetBodyView(cpr::BodyView{request.body});
    session.PreparePost();
  } else if (request.method == "DELETE") {
    session.PrepareDelete();
  } else {
    session.PrepareGet();
  }
  hop.handle = session.GetCurlHolder()->handle;
  set_beyond_cpr(hop.handle, request.url);
  const Resolved resolved(hop.handle, request.url, request.addresses);
  if (request.refuse_address) check_addresses(hop);

  // When a connection that was kept from an earlier exchange turns out to be dead before the first
  // byte of the answer, curl itself sends once more on a new one.
  CURLcode code = run(multi, hop, request, ports);
  if (code == CURLE_OK && !hop.head_whole) code = CURLE_PARTIAL_FILE;  // curl lets that pass

  hop.response.timings = timings_of(hop.handle);
  if (hop.thrown) std::rethrow_exception(hop.thrown);
  if (code == CURLE_OK && hop.redirected()) {
    char* next = nullptr;
    curl_easy_getinfo(hop.handle, CURLINFO_REDIRECT_URL, &next);
    if (next != nullptr) return next;
  }
  if (code == CURLE_OK) {
    hop.may_redirect = false;
    hop.tell_head();
    return std::nullopt;
  }
  hop.response.end = code == CURLE_ABORTED_BY_CALLBACK ? End::stopped
                     : hop.refused                     ? End::refused
                     : hop.heard_any                   ? End::cut
                                                       : End::unreachable;
  if (hop.response.end != End::cut && hop.response.end != End::unreachable) return std::nullopt;
  if (!hop.why.empty())
    hop.response.trouble = hop.why;
  else
    explain(hop.response, code, hop.handle, request.url, session.GetCurlHolder()->error.data());
  return std::nullopt;
}

HttpResponse unreachable(std::string trouble) {
  return {.end = End::unreachable, .trouble = std::move(trouble)};
}

HttpResponse follow(CURLM* multi, HttpRequest request, const HttpHandlers& handlers,
                    const model::Ports& ports) {
  for (const auto& [name, value] : request.headers)
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
      return unreachable("the value of the header " + name + " holds a line break");
  for (int hops = 0; hops <= max_redirects; ++hops) {
    Hop hop{.handlers = handlers, .request = request};
    const auto next = one_hop(multi, request, hop, ports);
    if (!next) return std::move(hop.response);
    const auto from = origin_of(request.url), to = origin_of(*next);
    if (!from || !to) return unreachable("a redirect points nowhere");
    if (from->scheme == "https" && to->scheme != "https")
      return unreachable(from->host + " redirects to an address without encryption; not followed");
    // A body is a conversation: it goes where the user sends it, and nowhere else.
    if (request.redirects == HttpRequest::Redirects::refuse ||
        (*from != *to && !request.body.empty()))
      return unreachable(from->host + ":" + from->port + " redirects to " + to->host + ":" +
                         to->port + "; put that address into the configuration if it is right");
    if (*from != *to)
      std::erase_if(request.headers,
                    [](const auto& header) { return is_credential(header.first); });
    request.url = *next;
  }
  return unreachable("redirected more than " + std::to_string(max_redirects) + " times");
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* skein_module_version() {
  return SKEIN_VERSION;
}

extern "C" __attribute__((visibility("default"))) void skein_http_exchange(
    const HttpRequest& request, const HttpHandlers& handlers, const model::Ports& ports,
    HttpResponse& result) {
  // One multi handle for the life of the thread: it keeps connections open between turns.
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  thread_local const std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi(
      curl_multi_init(), curl_multi_cleanup);
  if (ready != CURLE_OK || multi == nullptr) {
    result = unreachable("libcurl cannot be used");
    return;
  }
  result = follow(multi.get(), request, handlers, ports);
}

}  // namespace skein::http
