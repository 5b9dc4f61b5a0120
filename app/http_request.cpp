#include "app/http_request.h"

#include <algorithm>

#include "core/text/text.h"

namespace skein::app {

namespace {

struct Known {
  std::string_view name;
  std::string HttpRequest::*member;
};
constexpr Known known[] = {{"host", &HttpRequest::host},
                           {"cookie", &HttpRequest::cookies},
                           {"sec-fetch-site", &HttpRequest::fetch_site}};

std::string_view words_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 303: return "See Other";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 431: return "Request Header Fields Too Large";
    case 503: return "Service Unavailable";
    default: return "Error";
  }
}

// 0, or the status of the refusal.
int read_line(std::string_view line, HttpRequest& request) {
  const std::size_t one = line.find(' '), two = line.rfind(' ');
  if (one == std::string_view::npos || one == two) return 400;
  const std::string_view method = line.substr(0, one), target = line.substr(one + 1, two - one - 1);
  if (line.substr(two + 1) != "HTTP/1.1" && line.substr(two + 1) != "HTTP/1.0") return 400;
  if (method != "GET") return 405;
  const bool plain = std::ranges::all_of(target, [](char c) { return c > ' ' && c < 0x7f; });
  if (!target.starts_with('/') || !plain) return 400;
  const std::size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  request.query = target.substr(std::min(question + 1, target.size()));
  return 0;
}

}  // namespace

ReadRequest read_request(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end > most_head_bytes) return {std::nullopt, bytes.size() > most_head_bytes ? 431 : 0};
  HttpRequest request;
  std::string_view rest = bytes.substr(0, end + 2);
  for (bool first = true; !rest.empty(); first = false) {
    const std::size_t stop = rest.find("\r\n");
    const std::string_view line = rest.substr(0, stop);
    rest.remove_prefix(stop + 2);
    if (first) {
      if (const int refused = read_line(line, request); refused != 0)
        return {std::nullopt, refused};
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.starts_with(' ')) return {std::nullopt, 400};
    const std::string name = lower(line.substr(0, colon));
    for (const Known& each : known)
      if (each.name == name) {
        // Twice, it could mean one thing to us and another to whoever is between.
        if (!(request.*each.member).empty()) return {std::nullopt, 400};
        request.*each.member = trimmed(line.substr(colon + 1));
      }
  }
  if (request.host.empty()) return {std::nullopt, 400};
  return {std::move(request), 0};
}

std::string cookie_named(std::string_view cookies, std::string_view name) {
  for (const std::string_view each : split(cookies, ';')) {
    const std::string_view pair = trimmed(each);
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name)
      return std::string(pair.substr(equals + 1));
  }
  return {};
}

std::string http_head(int status, std::string_view type, std::string_view more_headers) {
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(words_of(status)) +
         "\r\nContent-Type: " + std::string(type) +
         "\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY"
         "\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store"
         "\r\nCross-Origin-Opener-Policy: same-origin"
         "\r\nCross-Origin-Resource-Policy: same-origin"
         "\r\nPermissions-Policy: camera=(), microphone=(), geolocation=()"
         "\r\nConnection: close\r\n" +
         std::string(more_headers);
}

std::string http_answer(int status, std::string_view type, std::string_view more_headers,
                        std::string_view body) {
  return http_head(status, type, more_headers) + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

}  // namespace skein::app
