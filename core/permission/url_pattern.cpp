#include "core/permission/url_pattern.h"

#include "core/text/encoding.h"
#include "core/text/text.h"

namespace skein::permission {

namespace {

using web::Url;

// What a path may come to mean to a server: decoded, perhaps twice, without detours.
std::string widely_read(std::string_view path) {
  const std::string plain = lower(percent_decoded(percent_decoded(path)));
  std::vector<std::string_view> kept;
  for (const std::string_view part : split(plain, '/')) {
    if (part == ".." && !kept.empty()) kept.pop_back();
    if (!part.empty() && part != "." && part != "..") kept.push_back(part);
  }
  const bool ends_in_slash = !kept.empty() && plain.ends_with('/');
  return "/" + listed(kept, "/") + (ends_in_slash ? "/" : "");
}

// To allow /docs/* is not to allow /docs/..%2fadmin, whatever the server makes of it.
bool hides_its_way(std::string_view target) {
  return has_any_of(lower(target.substr(0, target.find('?'))), {"%2f", "%5c", "%2e", "%25"});
}

bool covers_path(const UrlPattern& pattern, std::string_view target, Purpose purpose) {
  if (pattern.path.empty()) return true;
  if (purpose == Purpose::allow) return star_match(pattern.path, target) && !hides_its_way(target);
  const std::string wanted = lower(percent_decoded(pattern.path));
  const std::string path = widely_read(target.substr(0, target.find('?')));
  return star_match(wanted, lower(percent_decoded(target))) || star_match(wanted, path) ||
         star_match(wanted, path + "/");
}

bool covers_host(const UrlPattern& pattern, std::string_view host, Purpose purpose) {
  if (pattern.host.empty()) return true;
  const bool below = host.ends_with(pattern.host) && host.size() > pattern.host.size() &&
                     host[host.size() - pattern.host.size() - 1] == '.';
  if (pattern.is_address) return host == pattern.host;
  if (purpose == Purpose::deny) return below || host == pattern.host;
  return pattern.below ? below : host == pattern.host;
}

bool covers_port(const UrlPattern& pattern, const Url& url, Purpose purpose) {
  if (pattern.port != 0) return url.port == pattern.port;
  return purpose == Purpose::deny || pattern.is_address || url.port == 80 || url.port == 443;
}

}  // namespace

std::variant<UrlPattern, std::string> read_url_pattern(std::string_view text) {
  constexpr std::string_view domain = "domain:";  // as it is written elsewhere
  UrlPattern out;
  std::string_view rest = trimmed(text);
  if (rest.starts_with(domain)) rest.remove_prefix(domain.size());
  if (rest == "*") return "to name every address, write only the tool's name";
  const std::string start = lower(rest.substr(0, 8));
  const bool whole = start.starts_with("http://") || start == "https://";
  if (whole) {
    out.scheme = start == "https://" ? UrlPattern::Scheme::secure : UrlPattern::Scheme::plain;
    rest.remove_prefix(start == "https://" ? 8 : 7);
  } else if (rest.find("://") != std::string_view::npos) {
    return "only http:// and https:// are fetched";
  } else if (rest.find_first_of("/?#") != std::string_view::npos) {
    return "an address with a path begins with https://";
  }
  if (rest.starts_with("*.")) {
    out.below = true;
    rest.remove_prefix(2);
  }
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string host(rest.substr(0, end));
  if (host.find('*') != std::string::npos)
    return "in a host, `*` is allowed only at the beginning: *.host";
  // ::1, as people write it
  if (!web::canonical_address(host).empty() && host.find(':') != std::string::npos)
    host = "[" + host + "]";
  // A star in the path is a character that parsing leaves as it is.
  const bool plain = out.scheme == UrlPattern::Scheme::plain;
  auto parsed =
      web::parse_url((plain ? "http://" : "https://") + host + std::string(rest.substr(end)));
  auto* url = std::get_if<Url>(&parsed);
  if (url == nullptr) {
    constexpr std::string_view opening = "the URL cannot be used: ";
    const std::string& why = std::get<std::string>(parsed);
    return why.starts_with(opening) ? why.substr(opening.size()) : why;
  }
  *url = web::upgraded(*url);  // as every call's is
  if (whole) out.scheme = url->secure ? UrlPattern::Scheme::secure : UrlPattern::Scheme::plain;
  if (rest.find('#') != std::string_view::npos)
    return "the part after a # is never sent, so a rule cannot contain it";
  if (out.below && url->is_address) return "an IP address has no subdomains";
  out.host = url->host;
  out.is_address = url->is_address;
  const std::size_t colon = host.rfind(':');
  const bool names_port = colon != std::string::npos && colon + 1 > host.rfind(']') + 1;
  if (names_port || (whole && !url->is_address)) out.port = url->port;
  if (whole && end < rest.size() && url->target != "/*") out.path = url->target;
  return out;
}

std::string to_string(const UrlPattern& pattern) {
  using Scheme = UrlPattern::Scheme;
  const Url url{.secure = pattern.scheme != Scheme::plain,
                .host = pattern.host,
                .port = pattern.port,
                .is_address = pattern.is_address};
  std::string out;
  if (pattern.scheme != Scheme::any) out = url.secure ? "https://" : "http://";
  out += (pattern.below ? "*." : "") + web::host_text(url);
  const int usual = pattern.scheme == Scheme::any ? 0 : url.secure ? 443 : 80;
  if (pattern.port != 0 && (pattern.port != usual || pattern.is_address))
    out += ":" + std::to_string(pattern.port);
  return out + pattern.path;
}

bool covers_url(const UrlPattern& pattern, const Url& url, Purpose purpose) {
  const bool scheme = pattern.scheme == UrlPattern::Scheme::any || purpose == Purpose::deny ||
                      (pattern.scheme == UrlPattern::Scheme::secure) == url.secure;
  // Forbidding https://host forbids the host on its usual ports.
  const bool port = covers_port(pattern, url, purpose) ||
                    (purpose == Purpose::deny && (pattern.port == 80 || pattern.port == 443) &&
                     (url.port == 80 || url.port == 443));
  return scheme && port && covers_host(pattern, url.host, purpose) &&
         covers_path(pattern, url.target, purpose);
}

}  // namespace skein::permission
