// The network module: cpr prepares the request, curl's multi interface runs it, so that one poll
// waits for the network and the keyboard.
#include "providers/http/http_module.h"

#include <cpr/cpr.h>
#include <curl/curl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/text/text.h"
#include "providers/http/address.h"

namespace skein::http {

namespace {

struct Origin {
  std::string scheme, host, port;
  bool operator==(const Origin&) const = default;
};

std::string first_set(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string value = env(name); !value.empty()) return value;
  return {};
}

constexpr std::string_view no_authorities =
    "no certificate authorities are installed; install the package ca-certificates, or name a file "
    "of them with SSL_CERT_FILE";

struct Authorities {
  std::string file{}, folder{};
  bool known = true;  // these, or those that curl knows by itself
};

// Curl's library, unlike its program, reads no CA variables. One that is built for every Linux
// knows no file by itself.
Authorities authorities() {
  Authorities found{env_path("CURL_CA_BUNDLE"), env_path("SSL_CERT_DIR")};
  if (found.file.empty()) found.file = env_path("SSL_CERT_FILE");
  const curl_version_info_data* const curl = curl_version_info(CURLVERSION_NOW);
  if (!found.file.empty() || !found.folder.empty() || curl->cainfo != nullptr ||
      curl->capath != nullptr)
    return found;
  for (const char* file : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"})
    if (access(file, R_OK) == 0) return {file};
  return {.known = false};
}

// HTTP_PROXY in capitals is not read: a web server sets it from a request's header.
std::string proxy_for(const std::string& scheme) {
  return scheme == "https" ? first_set({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                           : first_set({"http_proxy", "all_proxy", "ALL_PROXY"});
}

// Whether NO_PROXY names the host, or a domain above it.
bool is_exempt(const Origin& origin) {
  const std::string list = lower(first_set({"no_proxy", "NO_PROXY"}));
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find_first_of(", \t", at), list.size());
    std::string name = list.substr(at, end - at);
    at = end + 1;
    if (name == "*") return true;
    name.erase(0, name.find_first_not_of('.'));
    if (!name.empty() && ("." + origin.host).ends_with("." + name)) return true;
  }
  return false;
}

// Curl's reasons in a user's words; `%` is the host. `again`: the next try may go better.
struct Reason {
  CURLcode code;
  std::string_view sentence;
  bool again;
};
constexpr Reason reasons[] = {
    {CURLE_COULDNT_RESOLVE_HOST, "cannot find the host %; check the address and the network", true},
    {CURLE_COULDNT_RESOLVE_PROXY, "cannot find the proxy for %; check HTTPS_PROXY", false},
    {CURLE_COULDNT_CONNECT, "nothing answers at %", true},
    {CURLE_OPERATION_TIMEDOUT, "% has stopped responding", true},
    {CURLE_PEER_FAILED_VERIFICATION, "the certificate of % is not trusted; nothing was sent",
     false},
    {CURLE_SSL_CACERT_BADFILE, "the CA file cannot be read; check SSL_CERT_FILE", false},
    {CURLE_SSL_CONNECT_ERROR, "cannot make a secure connection to %", false},
    {CURLE_URL_MALFORMAT, "the address is not a URL", false},
    {CURLE_UNSUPPORTED_PROTOCOL,
     "% is not an HTTP server, or its address does not begin with http:// or https://", false},
    {CURLE_GOT_NOTHING, "% closed the connection without an answer", true},
    {CURLE_RECV_ERROR, "the connection to % broke", true},
    {CURLE_SEND_ERROR, "the connection to % broke", true},
    {CURLE_PARTIAL_FILE, "% ended the answer too early", true},
    {CURLE_HTTP2, "the connection to % broke", true},
    {CURLE_HTTP2_STREAM, "the connection to % broke", true},
    {CURLE_BAD_CONTENT_ENCODING, "the answer of % cannot be decompressed", false},
    {CURLE_WEIRD_SERVER_REPLY, "% does not speak HTTP", false},
};

std::optional<Origin> origin_of(const std::string& url) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), curl_url_cleanup);
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return std::nullopt;
  const auto part = [&](CURLUPart which) {
    char* text = nullptr;
    if (curl_url_get(parsed.get(), which, &text, CURLU_DEFAULT_PORT) != CURLUE_OK)
      return std::string();
    const std::unique_ptr<char, decltype(&curl_free)> owned(text, curl_free);
    return lower(text);
  };
  return Origin{part(CURLUPART_SCHEME), part(CURLUPART_HOST), part(CURLUPART_PORT)};
}

// No child that a tool starts may inherit a connection.
curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Verification, protocols, proxies and authorities for a request to `url`.
void set_beyond_cpr(CURL* easy, const std::string& url) {
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // a stop does not wait for a stuck name lookup
#endif
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);  // a proxy's are not the answer's
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  const Authorities trusted = authorities();
  if (!trusted.file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, trusted.file.c_str());
  if (!trusted.folder.empty()) curl_easy_setopt(easy, CURLOPT_CAPATH, trusted.folder.c_str());
  // A proxy cannot know what this machine's own servers are.
  if (const auto origin = origin_of(url); origin && is_loopback(origin->host))
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
}

// Sets the proxy that libcurl would find by itself; true: there is one. Only a proxy that skein has
// set is known, and with it whether addresses are to be checked.
bool settle_proxy(CURL* easy, const std::string& url) {
  const auto origin = origin_of(url);
  const std::string proxy = origin && !is_loopback(origin->host) && !is_exempt(*origin)
                                ? proxy_for(origin->scheme)
                                : std::string();
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy.c_str());  // empty: none, whatever variables say
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  return !proxy.empty();
}

// An address and its port as text.
std::pair<std::string, int> numeric(const sockaddr& address, socklen_t size) {
  char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
  if (getnameinfo(&address, size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {};
  const std::string_view whole = host;
  // Without the interface of a link-local one.
  return {std::string(whole.substr(0, whole.find('%'))), std::atoi(port)};
}

HttpTimings timings_of(CURL* easy) {
  const auto ask = [&](CURLINFO what) {
    curl_off_t value = 0;
    curl_easy_getinfo(easy, what, &value);
    return static_cast<std::int64_t>(value);
  };
  constexpr std::int64_t us = 1000;  // curl counts in microseconds
  return {
      .connect_ms = std::max(ask(CURLINFO_CONNECT_TIME_T), ask(CURLINFO_APPCONNECT_TIME_T)) / us,
      .first_byte_ms = ask(CURLINFO_STARTTRANSFER_TIME_T) / us,
      .total_ms = ask(CURLINFO_TOTAL_TIME_T) / us,
      .sent_bytes = ask(CURLINFO_SIZE_UPLOAD_T),
      .received_bytes = ask(CURLINFO_SIZE_DOWNLOAD_T)};
}

// Fills in `trouble` and `again` for a transfer that ended with `code`. `detail` is curl's own
// text.
void explain(HttpResponse& response, CURLcode code, CURL* easy, const std::string& url,
             std::string_view detail) {
  long proxy_said = 0;
  curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &proxy_said);
  if (proxy_said >= 300) {
    response.trouble =
        "the proxy refused the connection (" + std::to_string(proxy_said) + "); check HTTPS_PROXY";
    return;
  }
  const auto origin = origin_of(url);
  const std::string host = origin ? origin->host + ":" + origin->port : "the address";
  const auto* row = std::ranges::find(reasons, code, &Reason::code);
  const bool known = row != std::end(reasons);
  std::string sentence(known ? row->sentence : "the request to % failed");
  if (const std::size_t at = sentence.find('%'); at != std::string::npos)
    sentence.replace(at, 1, host);
  if (detail.empty()) detail = curl_easy_strerror(code);
  response.trouble = sentence + " (" + std::string(detail) + ")";
  // A server of this machine that does not listen will not do so by itself.
  const bool not_started = code == CURLE_COULDNT_CONNECT && origin && is_loopback(origin->host);
  response.again = known && row->again && !not_started;
}

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;
using End = HttpResponse::End;

constexpr int max_redirects = 5;
constexpr std::size_t max_header_bytes = 256 * 1024;
constexpr std::size_t max_passed_over = 1024 * 1024;
// The one wait that is not core/text/wait: only curl knows its sockets, and curl_multi_poll watches
// the keyboard with them. It cannot close the gap between looking at the stop flag and falling
// asleep, so a signal that lands in it is noticed one tick later.
constexpr Milliseconds tick{20};

// What must stay with the host it was meant for.
bool is_credential(std::string_view header) {
  constexpr std::string_view names[] = {"authorization", "x-api-key", "x-goog-api-key", "api-key",
                                        "cookie"};
  return std::ranges::find(names, header) != std::end(names);
}

void give(const Callback<void(const ResponseView&)>& to, const HttpResponse& response) {
  const std::vector<HeaderView> headers = view_of(response.headers);
  to({response.end, response.status, headers, response.trouble, response.again, response.timings,
      response.proxied});
}

// What the callbacks of one hop share.
struct Hop {
  const ExchangeHandlers& handlers;
  CURL* handle = nullptr;
  const HttpRequest& request;
  bool may_redirect = request.redirects != HttpRequest::Redirects::hand_back;
  HttpResponse response{};
  std::size_t header_bytes = 0;
  std::size_t passed_over = 0;  // of a redirect's body
  bool head_whole = false;
  bool head_given = false;
  bool refused = false;
  bool heard_any = false;
  curl_off_t sent = 0;
  std::string why{};  // it was ended by ourselves
  Clock::time_point began = Clock::now();
  Clock::time_point last_sign = began;  // of life

  bool redirected() const {
    const int status = response.status;
    return may_redirect && (status == 301 || status == 302 || status == 307 || status == 308) &&
           !header_value(response.headers, "location").empty();
  }

  void give_head() {
    if (!redirected() && !std::exchange(head_given, true)) give(handlers.on_head, response);
  }

  // Runs inside libcurl's C frames, which an exception must not cross.
  bool heard(const auto& work) noexcept {
    heard_any = true;
    last_sign = Clock::now();
    bool more = false;
    report_exceptions(into(why), [&] { more = work(); });
    return more;
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
    give_head();
    refused = !handlers.on_body(piece);
    return !refused;
  }

  // Whether a connection may be made to this address.
  bool may_connect(const sockaddr& address, socklen_t size) noexcept {
    if (response.proxied) return true;
    const auto [host, port] = numeric(address, size);
    return handlers.may_connect(host, port, into(why));
  }

  // A long upload is no silence.
  void look_at_upload() {
    curl_off_t bytes = 0;
    curl_easy_getinfo(handle, CURLINFO_SIZE_UPLOAD_T, &bytes);
    if (bytes != sent) sent = bytes, last_sign = Clock::now();
  }
};

// Every connection is new: an open one was made under other conditions.
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

// Waits until the transfer is done, the user stops it, or nothing has been heard for too long.
// Returns curl's result; CURLE_ABORTED_BY_CALLBACK for a stop.
CURLcode run(CURLM* multi, Hop& hop, const HttpRequest& request, int input) {
  const auto leave = [multi](CURL* easy) { curl_multi_remove_handle(multi, easy); };
  const std::unique_ptr<CURL, decltype(leave)> added(hop.handle, leave);
  curl_multi_add_handle(multi, hop.handle);
  for (;;) {
    int running = 0;
    curl_multi_perform(multi, &running);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left))
      if (message->msg == CURLMSG_DONE && message->easy_handle == hop.handle)
        return message->data.result;

    if (!hop.handlers.goes_on()) return CURLE_ABORTED_BY_CALLBACK;
    if (request.timeouts.whole > Milliseconds(0) &&
        Clock::now() - hop.began > request.timeouts.whole) {
      hop.why = "there was no complete answer after " +
                std::to_string((request.timeouts.whole.count() + 999) / 1000) + " s";
      return CURLE_OPERATION_TIMEDOUT;
    }
    hop.look_at_upload();
    const auto silence = Clock::now() - hop.last_sign;
    if (silence > Milliseconds(1000) && hop.handlers.whole()) return CURLE_OK;
    if (silence > (hop.heard_any ? request.timeouts.idle : request.timeouts.answer))
      return CURLE_OPERATION_TIMEDOUT;

    curl_waitfd keyboard{input, CURL_WAIT_POLLIN, 0};
    const unsigned watched = input >= 0 ? 1 : 0;
    curl_multi_poll(multi, &keyboard, watched, static_cast<int>(tick.count()), nullptr);
    if (watched != 0 && keyboard.revents != 0) hop.handlers.on_input();
  }
}

// One request and its response, redirects not followed. Returns where a redirect points.
std::optional<std::string> one_hop(CURLM* multi, const HttpRequest& request, Hop& hop, int input,
                                   bool checks_addresses) {
  cpr::Session session;
  session.SetUrl(cpr::Url{request.url});
  session.SetUserAgent(cpr::UserAgent{"skein/" SKEIN_VERSION});
  cpr::Header headers;
  for (const auto& [name, value] : request.headers) headers[name] = value;
  session.SetHeader(headers);
  session.SetConnectTimeout(cpr::ConnectTimeout{request.timeouts.connect});
  session.SetRedirect(cpr::Redirect{0L, false, false, cpr::PostRedirectFlags::NONE});
  session.SetHeaderCallback(cpr::HeaderCallback{[&](const std::string_view& line, intptr_t) {
    return hop.heard([&] { return hop.take_header(line); });
  }});
  session.SetWriteCallback(cpr::WriteCallback{[&](const std::string_view& piece, intptr_t) {
    return hop.heard([&] { return hop.take_body(piece); });
  }});
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
  if (checks_addresses) check_addresses(hop);

  // When a connection that was kept from an earlier exchange turns out to be dead before the first
  // byte of the answer, curl itself sends once more on a new one.
  CURLcode code = run(multi, hop, request, input);
  if (code == CURLE_OK && !hop.head_whole) code = CURLE_PARTIAL_FILE;  // curl lets that pass

  hop.response.timings = timings_of(hop.handle);
  if (code == CURLE_OK && hop.redirected()) {
    char* next = nullptr;
    curl_easy_getinfo(hop.handle, CURLINFO_REDIRECT_URL, &next);
    if (next != nullptr) return next;
  }
  if (code == CURLE_OK) {
    hop.may_redirect = false;
    hop.give_head();
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

HttpRequest request_in(const RequestView& view) {
  return {.method = std::string(view.method),
          .url = std::string(view.url),
          .headers = headers_in(view.headers),
          .body = std::string(view.body),
          .timeouts = {.connect = Milliseconds(view.connect_ms),
                       .answer = Milliseconds(view.answer_ms),
                       .idle = Milliseconds(view.idle_ms),
                       .whole = Milliseconds(view.whole_ms)},
          .redirects = view.redirects};
}

HttpResponse unreachable(std::string trouble) {
  return {.end = End::unreachable, .trouble = std::move(trouble)};
}

HttpResponse follow(CURLM* multi, const RequestView& view, const ExchangeHandlers& handlers) {
  HttpRequest request = request_in(view);
  for (const auto& [name, value] : request.headers)
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
      return unreachable("the value of the header " + name + " contains a line break");
  for (int hops = 0; hops <= max_redirects; ++hops) {
    const auto from = origin_of(request.url);
    if (from && from->scheme == "https" && !authorities().known)
      return unreachable(std::string(no_authorities));
    Hop hop{.handlers = handlers, .request = request};
    const auto next = one_hop(multi, request, hop, view.input, view.checks_addresses);
    if (!next) return std::move(hop.response);
    const auto to = origin_of(*next);
    if (!from || !to) return unreachable("a redirect has no valid address");
    if (from->scheme == "https" && to->scheme != "https")
      return unreachable(from->host +
                         " redirects to an unencrypted address; skein does not follow it");
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

HttpResponse exchanged(const RequestView& request, const ExchangeHandlers& handlers) {
  // One multi handle for the life of the thread: it keeps connections open between turns.
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  thread_local const std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi(
      curl_multi_init(), curl_multi_cleanup);
  if (ready != CURLE_OK || multi == nullptr) return unreachable("libcurl cannot be used");
  return follow(multi.get(), request, handlers);
}

void exchange(const RequestView& request, const ExchangeHandlers& handlers) noexcept {
  HttpResponse response = unreachable("");
  report_exceptions(into(response.trouble), [&] { response = exchanged(request, handlers); });
  give(handlers.on_end, response);
}

void look_for_trouble(TextSink trouble) noexcept {
  report_exceptions(trouble, [&] {
    if (!authorities().known) trouble(no_authorities);
  });
}

}  // namespace

extern "C" const HttpModule skein_module{SKEIN_VERSION, exchange, look_for_trouble};

}  // namespace skein::http
