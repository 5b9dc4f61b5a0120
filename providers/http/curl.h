// What the network module sets in libcurl itself, beyond what cpr offers, and what curl's results
// mean to a user.
#pragma once

#include <curl/curl.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "providers/http/http.h"

namespace skein::http {

struct Origin {
  std::string scheme, host, port;
  bool operator==(const Origin&) const = default;
};

std::optional<Origin> origin_of(const std::string& url);

// Verification, protocols, proxies and authorities for a request to `url`.
void set_beyond_cpr(CURL* easy, const std::string& url);

// Which proxy is asked, if any, settled by us so that it is known: true if one is.
bool settle_proxy(CURL* easy, const std::string& url);

// No child that a tool starts may inherit a connection.
curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address);

// An address and its port as text.
std::pair<std::string, int> numeric(const sockaddr& address, socklen_t size);

// What the host of a URL stands for, for as long as this lives; with no addresses, what it does
// anyway.
class Resolved {
 public:
  Resolved(CURL* easy, const std::string& url, const std::vector<std::string>& addresses);
  ~Resolved() { curl_slist_free_all(list_); }
  Resolved(const Resolved&) = delete;
  Resolved& operator=(const Resolved&) = delete;

 private:
  curl_slist* list_ = nullptr;
};

HttpTimings timings_of(CURL* easy);

// Fills in `trouble` and `again` for a transfer that ended with `code`. `detail` is curl's own
// text.
void explain(HttpResponse& response, CURLcode code, CURL* easy, const std::string& url,
             std::string_view detail);

}  // namespace skein::http
