// What the network module sets in libcurl itself, beyond what cpr offers, and what curl's results
// mean to a user.
#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>
#include <string_view>

#include "providers/http/http.h"

namespace skein::http {

struct Origin {
  std::string scheme, host, port;
  bool operator==(const Origin&) const = default;
};

std::optional<Origin> origin_of(const std::string& url);

// Verification, protocols, proxies and authorities for a request to `url`.
void set_beyond_cpr(CURL* easy, const std::string& url);

HttpTimings timings_of(CURL* easy);

// Fills in `trouble` and `again` for a transfer that ended with `code`. `detail` is curl's own
// text.
void explain(HttpResponse& response, CURLcode code, CURL* easy, const std::string& url,
             std::string_view detail);

}  // namespace skein::http
