// An address on the web, taken apart so that everyone who looks at it (rules, the check of private
// hosts, libcurl) sees the same host and path. What could be read in two ways is refused.
#pragma once

#include "core/text/std.h"

namespace skein::web {

struct Url {
  bool secure = true;        // https
  std::string host{};        // lower case; an IPv6 address without its brackets
  std::uint16_t port = 443;  // also where it is the usual one
  std::string target = "/";  // path and query as they are sent, without the fragment
  bool is_address = false;   // the host is an IP address, in its one canonical spelling
  bool operator==(const Url&) const = default;
};

// Or why it cannot be used, for a person or the model to read. Dot segments are resolved; hosts
// that are numbers in disguise (2130706433, 0x7f.1), names and passwords, other schemes and
// characters that belong into no URL are refused.
std::variant<Url, std::string> parse_url(std::string_view text);

std::string to_string(const Url& url);
std::string host_text(const Url& url);  // with brackets where they are needed, without the port

// Where a link on the page `base` leads; empty: nowhere on the web. Keeps the fragment.
std::string resolved(const Url& base, std::string_view link);

// The same one encrypted, if it is a plain http:// one for which another port was not chosen.
// Hosts of this machine and its network stay as they are: few of them have certificates.
Url upgraded(Url url);

// Why this host must not be asked, whatever leads to it, unless a rule names it: it is this
// machine, or on one of its networks. Empty: it may be.
std::string private_host(const Url& url);

// What kind of address it is if it is not one of the public internet: "loopback", "private", …;
// empty: it is public. IPv4 addresses that are wrapped into IPv6 ones count as themselves. What is
// no address at all is "unknown".
std::string_view special_kind(std::string_view address);

// localhost, *.local, *.internal and their like: names that mean a private host by themselves.
bool is_private_name(std::string_view host);

// The one spelling of an IP address, without brackets; empty: it is none.
std::string canonical_address(std::string_view text);

// Whether two hosts are the same but for `www.`.
bool is_same_site(std::string_view one, std::string_view other);

// What of a URL could carry data out: one that is very long, or a query that looks encoded. A
// sentence for the user; empty: nothing.
std::string leak_warning(const Url& url);

// The web addresses that stand in a text, as they are written, in their order.
std::vector<std::string> urls_in(std::string_view text);

// The web addresses that the user has written themselves: those may be fetched without a question.
class TypedUrls {
 public:
  // Notes down the addresses in what the user has typed; pastes and files are not typed.
  void note(std::string_view text);
  // `url` as it would be asked for: see upgraded.
  bool has(const std::string& url) const { return urls_.contains(url); }

 private:
  std::set<std::string> urls_{};
};

}  // namespace skein::web
