#include "providers/http/curl.h"

#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "core/text/text.h"
#include "providers/http/address.h"

namespace skein::http {

namespace {

// Curl's library, unlike its program, reads no CA variables.
void trust_environment(CURL* easy) {
  std::string file = env_path("CURL_CA_BUNDLE");
  if (file.empty()) file = env_path("SSL_CERT_FILE");
  if (!file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, file.c_str());
  if (const std::string folder = env_path("SSL_CERT_DIR"); !folder.empty())
    curl_easy_setopt(easy, CURLOPT_CAPATH, folder.c_str());
}

std::string first_set(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string value = env(name); !value.empty()) return value;
  return {};
}

// HTTP_PROXY in capitals is not read: a web server sets it from a request's header.
std::string proxy_for(const std::string& scheme) {
  return scheme == "https" ? first_set({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                           : first_set({"http_proxy", "all_proxy", "ALL_PROXY"});
}

// Whether NO_PROXY names the host, or what it lies below.
bool is_exempt(const Origin& origin) {
  const std::string list = lower(first_set({"no_proxy", "NO_PROXY"}));
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find_first_of(", \t", at), list.size());
    std::string_view name = std::string_view(list).substr(at, end - at);
    at = end + 1;
    if (name == "*") return true;
    while (name.starts_with('.')) name.remove_prefix(1);
    if (name.empty() || !origin.host.ends_with(name)) continue;
    const std::size_t before = origin.host.size() - name.size();
    if (before == 0 || origin.host[before - 1] == '.') return true;
  }
  return false;
}

// Curl's reasons in a user's words; `%` stands for the host. `again`: the next try may go better.
struct Reason {
  CURLcode code;
  std::string_view sentence;
  bool again;
};
constexpr Reason reasons[] = {
    {CURLE_COULDNT_RESOLVE_HOST, "cannot find the host %; check the address and the network", true},
    {CURLE_COULDNT_RESOLVE_PROXY, "cannot find the proxy for %; check HTTPS_PROXY", false},
    {CURLE_COULDNT_CONNECT, "nothing answers at %", true},
    {CURLE_OPERATION_TIMEDOUT, "no sign of life from % for too long", true},
    {CURLE_PEER_FAILED_VERIFICATION, "the certificate of % is not trusted; nothing was sent",
     false},
    {CURLE_SSL_CACERT_BADFILE, "the CA file cannot be read; check SSL_CERT_FILE", false},
    {CURLE_SSL_CONNECT_ERROR, "no secure connection to %", false},
    {CURLE_URL_MALFORMAT, "the address is not a URL", false},
    {CURLE_UNSUPPORTED_PROTOCOL, "% is no HTTP server, or the address no http:// one", false},
    {CURLE_GOT_NOTHING, "% closed the connection without an answer", true},
    {CURLE_RECV_ERROR, "the connection to % broke", true},
    {CURLE_SEND_ERROR, "the connection to % broke", true},
    {CURLE_PARTIAL_FILE, "% ended the answer too early", true},
    {CURLE_HTTP2, "the connection to % broke", true},
    {CURLE_HTTP2_STREAM, "the connection to % broke", true},
    {CURLE_BAD_CONTENT_ENCODING, "the answer of % is not compressed as it says", false},
    {CURLE_WEIRD_SERVER_REPLY, "% does not speak HTTP", false},
};

}  // namespace

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
  trust_environment(easy);
  // A proxy cannot know what this machine's own servers are.
  if (const auto origin = origin_of(url); origin && is_loopback(origin->host))
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
}

// As libcurl finds it, but found by us: only then it is known whether addresses are to be checked.
bool settle_proxy(CURL* easy, const std::string& url) {
  const auto origin = origin_of(url);
  const std::string proxy = origin && !is_loopback(origin->host) && !is_exempt(*origin)
                                ? proxy_for(origin->scheme)
                                : std::string();
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy.c_str());  // empty: none, whatever variables say
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  return !proxy.empty();
}

curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::pair<std::string, int> numeric(const sockaddr& address, socklen_t size) {
  char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
  if (getnameinfo(&address, size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {};
  const std::string_view whole = host;
  // Without the interface of a link-local one.
  return {std::string(whole.substr(0, whole.find('%'))), std::atoi(port)};
}

Resolved::Resolved(CURL* easy, const std::string& url, const std::vector<std::string>& addresses) {
  const auto origin = origin_of(url);
  if (addresses.empty() || !origin) return;
  std::string entry = origin->host + ":" + origin->port + ":";
  for (const std::string& each : addresses) entry += (each == addresses.front() ? "" : ",") + each;
  list_ = curl_slist_append(nullptr, entry.c_str());
  curl_easy_setopt(easy, CURLOPT_RESOLVE, list_);
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
  std::string sentence(known ? row->sentence : "the exchange with % failed");
  if (const std::size_t at = sentence.find('%'); at != std::string::npos)
    sentence.replace(at, 1, host);
  if (detail.empty()) detail = curl_easy_strerror(code);
  response.trouble = sentence + " (" + std::string(detail) + ")";
  // A server of this machine that does not listen will not do so by itself.
  const bool not_started = code == CURLE_COULDNT_CONNECT && origin && is_loopback(origin->host);
  response.again = known && row->again && !not_started;
}

}  // namespace skein::http
