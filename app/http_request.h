// The little of HTTP/1.1 that a page for one browser needs: the head of a GET, read strictly.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace skein::app {

struct HttpRequest {
  std::string path{};   // "/events", without the query
  std::string query{};  // "after=3"
  std::string host{};   // must be there
  std::string cookies{};
  std::string fetch_site{};  // what a browser says of where the request comes from; empty: nothing
};

// What became of the bytes so far.
struct ReadRequest {
  std::optional<HttpRequest> request{};
  int status = 0;  // of the refusal; 0: there is none, and without a request more is to come
};

inline constexpr std::size_t most_head_bytes = 8 * 1024;

ReadRequest read_request(std::string_view bytes);

// The value of one cookie; empty: there is none.
std::string cookie_named(std::string_view cookies, std::string_view name);

// A whole answer that ends the connection.
std::string http_answer(int status, std::string_view type, std::string_view more_headers,
                        std::string_view body);
// The headers every answer has.
std::string http_head(int status, std::string_view type, std::string_view more_headers);

}  // namespace skein::app
