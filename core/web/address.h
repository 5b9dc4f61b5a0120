// Which hosts are nobody's business on the web: this machine, its networks, and what is no place to
// connect to at all.
#pragma once

#include <string>
#include <string_view>

namespace skein::web {

// What kind of address it is if it is not one of the public internet: "loopback", "private", …;
// empty: it is public. IPv4 addresses that are wrapped into IPv6 ones count as themselves. What is
// no address at all is "unknown".
std::string_view special_kind(std::string_view address);

// localhost, *.local, *.internal and their like: names that mean a private host by themselves.
bool is_private_name(std::string_view host);

// The one spelling of an IP address, without brackets; empty: it is none.
std::string canonical_address(std::string_view text);

}  // namespace skein::web
