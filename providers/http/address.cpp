#include "providers/http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "core/text/text.h"

namespace skein::http {

std::string host_of(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos)
    url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  if (const std::size_t login = url.rfind('@'); login != std::string_view::npos)
    url.remove_prefix(login + 1);
  if (url.starts_with('[')) return lower(url.substr(1, url.find(']') - 1));
  return lower(url.substr(0, url.find(':')));
}

bool is_loopback(std::string_view host) {
  std::string name = lower(host);
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  if (name.ends_with('.')) name.pop_back();
  if (name == "localhost" || name.ends_with(".localhost")) return true;
  in_addr four{};
  if (inet_pton(AF_INET, name.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  in6_addr six{};
  return inet_pton(AF_INET6, name.c_str(), &six) == 1 &&
         (IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127));
}

bool is_in_clear(std::string_view url) {
  return lower(url.substr(0, 7)) == "http://" && !is_loopback(host_of(url));
}

}  // namespace skein::http
