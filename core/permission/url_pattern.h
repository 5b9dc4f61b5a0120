// What a rule about web addresses names: `docs.python.org`, `*.rust-lang.org`, `host:8080`,
// `127.0.0.1`, `https://host/path/*`.
#pragma once

#include "core/permission/rule_match.h"
#include "core/permission/rules.h"
#include "core/web/url.h"

namespace skein::permission {

struct UrlPattern {
  enum class Scheme { any, plain, secure } scheme = Scheme::any;
  std::string host{};       // lower case, without brackets; empty: every one
  bool below = false;       // `*.host`: what is below it, not itself
  bool is_address = false;  // with all of its ports, unless one is named
  std::uint16_t port = 0;   // 0: none is named, and the usual ones are meant
  std::string path{};       // with `*` for any text; empty: every one
  bool operator==(const UrlPattern&) const = default;
};

// Or what is wrong with it.
std::variant<UrlPattern, std::string> read_url_pattern(std::string_view text);
std::string to_string(const UrlPattern& pattern);  // the one spelling in which it is kept

// A rule that denies is read widely: a host is every host below it, on every port, by http or
// https, and a path also means how it could be written otherwise.
bool covers_url(const UrlPattern& pattern, const web::Url& url, Purpose purpose);

}  // namespace skein::permission
