#include "core/web/url.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "core/text/text.h"
#include "core/web/address.h"

namespace skein::web {

namespace {

constexpr std::size_t longest_url = 8000, longest_host = 253, longest_label = 63;
constexpr std::string_view hex_digits = "0123456789ABCDEF";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The scheme in front of a colon; empty: there is none.
std::string_view scheme_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_letter(text[0])) return {};
  const std::string_view scheme = text.substr(0, colon);
  const bool good = std::ranges::all_of(scheme, [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
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
    return "its host is not in ASCII; write it the way DNS has it (xn--…)";
  for (const std::string_view label : split(host, '.')) {
    if (label.empty()) return "its host has an empty part";
    if (label.size() > longest_label) return "a part of its host is too long";
    if (label.starts_with('-') || label.ends_with('-'))
      return "a part of its host begins or ends with a hyphen";
    for (const char c : label)
      if (!is_letter(c) && !is_digit(c) && c != '-' && c != '_')
        return "its host holds a character that belongs into none";
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
    return "it holds a name or a password, which are never sent";
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string_view host = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const char* const end = digits.data() + digits.size();
    const auto [rest, failed] = std::from_chars(digits.data(), end, url.port);
    if (!digits.empty() && (failed != std::errc{} || rest != end || url.port == 0))
      return "its port is none";
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

std::variant<Url, std::string> parse_url(std::string_view text) {
  text = trimmed(text);
  if (text.size() > longest_url) return "the URL is too long";
  const auto trouble = [&](std::string_view why) {
    return "the URL cannot be used: " + std::string(why);
  };
  if (std::ranges::any_of(text, [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || c == '\\';
      }))
    return trouble("it holds a blank, a backslash or a control character");
  const std::string scheme = lower(scheme_of(text));
  if (scheme != "http" && scheme != "https")
    return trouble("only http:// and https:// are fetched");
  std::string_view rest = text.substr(scheme.size() + 1);
  if (!rest.starts_with("//")) return trouble("there is no // behind its scheme");
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
  return kind.empty() ? "" : url.host + " is no public address (" + std::string(kind) + ")";
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
  const auto alphanumeric = [](char c) { return is_letter(c) || is_digit(c); };
  const auto encoded = [&](char c) {
    return alphanumeric(c) || std::string_view("+/=_-%").find(c) != std::string_view::npos;
  };
  if (longest_run(target.substr(question), encoded) > long_run ||
      longest_run(target.substr(0, question), alphanumeric) > long_run)
    return "part of this URL looks encoded: it could carry data out";
  if (const std::size_t size = to_string(url).size(); size > long_url)
    return "this URL is " + std::to_string(size) + " characters long: it could carry data out";
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

}  // namespace skein::web
