#include "core/web/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>

namespace skein::web {

namespace {

struct Range4 {
  std::uint32_t network;
  int bits;
  std::string_view kind;
};
constexpr std::uint32_t ip(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}
constexpr Range4 ranges4[] = {
    {ip(0, 0, 0, 0), 8, "this network"},       {ip(10, 0, 0, 0), 8, "private"},
    {ip(100, 64, 0, 0), 10, "shared"},         {ip(127, 0, 0, 0), 8, "loopback"},
    {ip(169, 254, 0, 0), 16, "link-local"},    {ip(172, 16, 0, 0), 12, "private"},
    {ip(192, 0, 0, 0), 24, "reserved"},        {ip(192, 0, 2, 0), 24, "documentation"},
    {ip(192, 88, 99, 0), 24, "reserved"},      {ip(192, 168, 0, 0), 16, "private"},
    {ip(198, 18, 0, 0), 15, "benchmark"},      {ip(198, 51, 100, 0), 24, "documentation"},
    {ip(203, 0, 113, 0), 24, "documentation"}, {ip(224, 0, 0, 0), 4, "multicast"},
    {ip(240, 0, 0, 0), 4, "reserved"},
};

std::string_view kind_of(std::uint32_t address) {
  for (const Range4& range : ranges4)
    if (((address ^ range.network) >> (32 - range.bits)) == 0) return range.kind;
  return "";
}

using Bytes16 = std::array<std::uint8_t, 16>;

bool begins(const Bytes16& address, std::initializer_list<int> bytes) {
  return std::equal(bytes.begin(), bytes.end(), address.begin(),
                    [](int want, std::uint8_t have) { return want == have; });
}

std::uint32_t four_at(const Bytes16& address, std::size_t at) {
  return ip(address[at], address[at + 1], address[at + 2], address[at + 3]);
}

// Where an IPv4 address is wrapped into this one, and how: mapped, compatible, translated (NAT64,
// also its local prefix), 6to4.
std::optional<std::uint32_t> wrapped(const Bytes16& address) {
  if (begins(address, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) &&
      ((address[10] == 0xff && address[11] == 0xff) || (address[10] == 0 && address[11] == 0)))
    return four_at(address, 12);
  if (begins(address, {0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0})) return four_at(address, 12);
  if (begins(address, {0, 0x64, 0xff, 0x9b})) return four_at(address, 12);
  if (begins(address, {0x20, 0x02})) return four_at(address, 2);
  return std::nullopt;
}

std::string_view kind_of(const Bytes16& address) {
  Bytes16 one{};
  one[15] = 1;
  if (address == one) return "loopback";
  if (address == Bytes16{}) return "this network";
  if (begins(address, {0, 0x64, 0xff, 0x9b, 0, 1})) return "private";  // NAT64 of a local network
  if (const auto inner = wrapped(address)) return kind_of(*inner);
  // Only 2000::/3 is given out; in it, Teredo hides another address and some are for documents.
  if ((address[0] & 0xfe) == 0xfc) return "private";
  if (address[0] == 0xfe && (address[1] & 0xc0) == 0x80) return "link-local";
  if (address[0] == 0xfe && (address[1] & 0xc0) == 0xc0) return "private";
  if (address[0] == 0xff) return "multicast";
  if ((address[0] & 0xe0) != 0x20) return "reserved";
  if (begins(address, {0x20, 0x01, 0, 0})) return "tunnel";
  if (begins(address, {0x20, 0x01, 0x0d, 0xb8})) return "documentation";
  if (address[0] == 0x3f && address[1] == 0xff && address[2] < 0x10) return "documentation";
  return "";
}

}  // namespace

std::string_view special_kind(std::string_view address) {
  const std::string text(address);
  in_addr four{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) return kind_of(ntohl(four.s_addr));
  Bytes16 six{};
  if (inet_pton(AF_INET6, text.c_str(), six.data()) == 1) return kind_of(six);
  return "unknown";
}

bool is_private_name(std::string_view host) {
  constexpr std::string_view names[] = {"localhost", "local", "internal", "localdomain", "intranet",
                                        "home.arpa", "lan",   "corp",     "home",        "private"};
  return std::ranges::any_of(names, [&](std::string_view name) {
    return host == name || (host.ends_with(name) && host[host.size() - name.size() - 1] == '.');
  });
}

std::string canonical_address(std::string_view text) {
  const std::string wanted(text);
  std::array<char, INET6_ADDRSTRLEN> out{};
  in_addr four{};
  in6_addr six{};
  if (inet_pton(AF_INET, wanted.c_str(), &four) == 1)
    inet_ntop(AF_INET, &four, out.data(), out.size());
  else if (inet_pton(AF_INET6, wanted.c_str(), &six) == 1)
    inet_ntop(AF_INET6, &six, out.data(), out.size());
  return out.data();
}

}  // namespace skein::web
