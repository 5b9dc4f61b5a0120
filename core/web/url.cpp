#include "core/web/url.h"

#include "core/text/std.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "core/text/text.h"

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

constexpr std::size_t longest_url = 8000, longest_host = 253, longest_label = 63;
constexpr std::string_view hex_digits = "0123456789ABCDEF";

// The scheme in front of a colon; empty: there is none.
std::string_view scheme_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_letter(text[0])) return {};
  const std::string_view scheme = text.substr(0, colon);
  const bool good = std::ranges::all_of(
      scheme, [](char c) { return is_alphanumeric(c) || c == '+' || c == '-' || c == '.'; });
  return good ? scheme : std::string_view{};
}

// A last label that is a number makes resolvers take the whole host for an address, in spellings
// that hide which: decimal, octal, hexadecimal, with parts left out.
bool looks_numeric(std::string_view host) {
  const std::string_view last = host.substr(host.rfind('.') + 1);
  if (last.empty()) return false;
  if (last.starts_with("0x")) return true;
  return std::ranges::all_of(last, is_digit);
}

std::string trouble_in_name(std::string_view host) {
  if (host.empty()) return "it names no host";
  if (host.size() > longest_host) return "its host is too long";
  if (std::ranges::any_of(host, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
    return "its host is not in ASCII; write it in the form that DNS uses (xn--…)";
  for (const std::string_view label : split(host, '.')) {
    if (label.empty()) return "its host has an empty part";
    if (label.size() > longest_label) return "a part of its host is too long";
    if (label.starts_with('-') || label.ends_with('-'))
      return "a part of its host begins or ends with a hyphen";
    for (const char c : label)
      if (!is_alphanumeric(c) && c != '-' && c != '_')
        return "its host contains a character that is not allowed";
  }
  if (host.starts_with('.') || host.ends_with('.')) return "its host has an empty part";
  if (looks_numeric(host)) return "its host is a number in disguise; write the address as 1.2.3.4";
  return "";
}

// What is wrong with it; empty: it is in `url` now.
std::string take_host(Url& url, std::string_view text) {
  if (text.starts_with('[')) {
    if (!text.ends_with(']')) return "a `[` in it is not closed";
    url.host = canonical_address(text.substr(1, text.size() - 2));
    url.is_address = true;
    return url.host.find(':') == std::string::npos ? "there is no IPv6 address in its brackets"
                                                   : "";
  }
  url.host = lower(text);
  if (url.host.ends_with('.')) url.host.pop_back();
  url.is_address = !canonical_address(url.host).empty() && url.host.find(':') == std::string::npos;
  return url.is_address ? "" : trouble_in_name(url.host);
}

std::string take_authority(Url& url, std::string_view text) {
  if (text.find('@') != std::string_view::npos)
    return "it contains a user name or a password, which skein never sends";
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string_view host = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    if (!digits.empty()) url.port = parse_number<std::uint16_t>(digits).value_or(0);
    if (url.port == 0) return "its port is not valid";
  }
  return take_host(url, host);
}

// "%2e%2E" is "..", to every server that was ever asked.
std::string plain_dots(std::string_view segment) {
  std::string out;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    const bool dot = lower(segment.substr(i, 3)) == "%2e";
    out += dot ? '.' : segment[i];
    if (dot) i += 2;
  }
  return out;
}

std::string without_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  std::string_view rest = path.substr(1);
  bool folder = false;
  for (;;) {
    const std::size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    const std::string dots = segment.size() <= 6 ? plain_dots(segment) : std::string();
    folder = dots == "." || dots == "..";
    if (dots == ".." && !kept.empty()) kept.pop_back();
    if (!folder) kept.push_back(segment);
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  std::string out;
  for (const std::string_view segment : kept) out.append("/").append(segment);
  if (folder || out.empty()) out += '/';
  return out;
}

// Bytes that a request line cannot hold, written as servers read them.
std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f &&
        std::string_view("\"<>`{}|^").find(c) == std::string_view::npos)
      out += c;
    else
      out.append("%").append(1, hex_digits[byte >> 4]).append(1, hex_digits[byte & 15]);
  }
  return out;
}

std::string settled_target(std::string_view text) {
  text = text.substr(0, text.find('#'));
  const std::size_t question = std::min(text.find('?'), text.size());
  std::string path(text.substr(0, question));
  if (!path.starts_with('/')) path.insert(0, "/");
  return percent_encoded(without_dot_segments(path)) + percent_encoded(text.substr(question));
}

// The longest run of characters for which `belongs` holds.
std::size_t longest_run(std::string_view text, const auto& belongs) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) longest = std::max(longest, run = belongs(c) ? run + 1 : 0);
  return longest;
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

std::variant<Url, std::string> parse_url(std::string_view text) {
  text = trimmed(text);
  if (text.size() > longest_url) return "the URL is too long";
  const auto trouble = [&](std::string_view why) {
    return "the URL cannot be used: " + std::string(why);
  };
  if (std::ranges::any_of(text, [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || c == '\\';
      }))
    return trouble("it contains a blank, a backslash or a control character");
  const std::string scheme = lower(scheme_of(text));
  if (scheme != "http" && scheme != "https")
    return trouble("only http:// and https:// are fetched");
  std::string_view rest = text.substr(scheme.size() + 1);
  if (!rest.starts_with("//")) return trouble("there is no // after its scheme");
  rest.remove_prefix(2);
  Url url{.secure = scheme == "https",
          .port = static_cast<std::uint16_t>(scheme == "https" ? 443 : 80)};
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  if (const std::string why = take_authority(url, rest.substr(0, end)); !why.empty())
    return trouble(why);
  url.target = settled_target(rest.substr(end));
  return url;
}

std::string host_text(const Url& url) {
  return url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]";
}

std::string to_string(const Url& url) {
  const bool usual = url.port == (url.secure ? 443 : 80);
  return (url.secure ? "https://" : "http://") + host_text(url) +
         (usual ? "" : ":" + std::to_string(url.port)) + url.target;
}

std::string resolved(const Url& base, std::string_view link) {
  link = trimmed(link);
  if (link.starts_with('#') || link.empty()) return {};
  const std::string fragment(link.substr(std::min(link.find('#'), link.size())));
  const auto whole = [&](const std::string& text) {
    const auto parsed = parse_url(text);
    const auto* url = std::get_if<Url>(&parsed);
    return url == nullptr ? std::string() : to_string(*url) + percent_encoded(fragment);
  };
  if (const std::string scheme = lower(scheme_of(link)); !scheme.empty())
    return scheme == "http" || scheme == "https" ? whole(percent_encoded(link)) : std::string();
  const std::string written = percent_encoded(link.substr(0, link.find('#')));
  if (written.starts_with("//")) return whole((base.secure ? "https:" : "http:") + written);
  Url url = base;
  const std::string path = base.target.substr(0, base.target.find('?'));
  if (written.starts_with('/'))
    url.target = written;
  else if (written.starts_with('?'))
    url.target = path + written;
  else
    url.target = path.substr(0, path.rfind('/') + 1) + written;
  return whole(to_string(url));
}

Url upgraded(Url url) {
  if (url.secure || url.port != 80 || !private_host(url).empty()) return url;
  url.secure = true;
  url.port = 443;
  return url;
}

std::string private_host(const Url& url) {
  if (!url.is_address)
    return is_private_name(url.host) ? url.host + " is a name of this machine or its network" : "";
  const std::string_view kind = special_kind(url.host);
  return kind.empty() ? "" : url.host + " is not a public address (" + std::string(kind) + ")";
}

bool is_same_site(std::string_view one, std::string_view other) {
  constexpr std::string_view www = "www.";
  if (one.starts_with(www)) one.remove_prefix(www.size());
  if (other.starts_with(www)) other.remove_prefix(www.size());
  return one == other;
}

std::string leak_warning(const Url& url) {
  constexpr std::size_t long_url = 300, long_run = 64;
  const std::size_t question = std::min(url.target.find('?'), url.target.size());
  const std::string_view target = url.target;
  const auto encoded = [&](char c) {
    return is_alphanumeric(c) || std::string_view("+/=_-%").find(c) != std::string_view::npos;
  };
  if (longest_run(target.substr(question), encoded) > long_run ||
      longest_run(target.substr(0, question), is_alphanumeric) > long_run)
    return "part of this URL looks encoded: it could leak data";
  if (const std::size_t size = to_string(url).size(); size > long_url)
    return "this URL is " + std::to_string(size) + " characters long: it could leak data";
  return {};
}

std::vector<std::string> urls_in(std::string_view text) {
  std::vector<std::string> out;
  const std::string low = lower(text);
  for (std::size_t at = low.find("http"); at != std::string::npos; at = low.find("http", at + 4)) {
    std::string_view word = text.substr(at, text.find_first_of(" \t\r\n\"<>`", at) - at);
    if (!lower(word.substr(0, 8)).starts_with("http://") && lower(word.substr(0, 8)) != "https://")
      continue;
    // Both readings of "see https://x.org/a).": a sentence's end is rarely a URL's.
    out.emplace_back(word);
    while (!word.empty() &&
           std::string_view(".,;:!?)]}'").find(word.back()) != std::string_view::npos) {
      word.remove_suffix(1);
      out.emplace_back(word);
    }
  }
  return out;
}

void TypedUrls::note(std::string_view text) {
  for (const std::string& each : urls_in(text)) {
    const auto parsed = parse_url(each);
    if (const auto* url = std::get_if<Url>(&parsed)) urls_.insert(to_string(upgraded(*url)));
  }
}

}  // namespace skein::web
