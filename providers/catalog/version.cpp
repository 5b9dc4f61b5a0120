#include "providers/catalog/version.h"

#include "core/text/std.h"

#include "core/text/text.h"

namespace skein::catalog {

namespace {

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

struct NumberFound {
  Version version;
  std::size_t length = 0;
};

// 5, 5.4 or 5-4 at the start of `text`.
std::optional<NumberFound> number_at(std::string_view text) {
  const std::size_t major = digits_at(text, 0);
  if (major == 0 || major > 2) return std::nullopt;
  if (major < text.size() && (text[major] == 'b' || text[major] == 'B'))
    return std::nullopt;  // billions of parameters
  NumberFound found{{parse_number<int>(text.substr(0, major)).value_or(0), 0}, major};
  if (major + 1 >= text.size() || (text[major] != '.' && text[major] != '-')) return found;
  const std::size_t minor = digits_at(text, major + 1), end = major + 1 + minor;
  // "4-26b" is no minor, and "5-2025-08-07" has none.
  const bool whole = end == text.size() || text[end] == '-' || text[end] == ':';
  if (minor == 0 || minor > 2 || (text[major] == '-' && !whole)) return found;
  found.version.minor = parse_number<int>(text.substr(major + 1, minor)).value_or(0);
  found.length = end;
  return found;
}

std::string_view last_part(std::string_view name) {
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos)
    name.remove_prefix(slash + 1);
  return name;
}

}  // namespace

VersionedName split_version(std::string_view name) {
  name = last_part(name);
  VersionedName out{name.substr(0, name.find('-')), name};
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (at > 0 && name[at - 1] != '-') continue;
    const std::optional<NumberFound> found = number_at(name.substr(at));
    if (!found) continue;
    out.family = name.substr(0, at == 0 ? 0 : at - 1);
    out.version = found->version;
    out.rest = name.substr(at + found->length);
    break;
  }
  return out;
}

std::optional<Version> version_behind(std::string_view name, std::string_view prefix) {
  name = last_part(name);
  for (std::size_t at = 0; (at = name.find(prefix, at)) != std::string_view::npos; ++at) {
    if (at > 0 && name[at - 1] != '-' && name[at - 1] != '.') continue;
    if (const auto found = number_at(name.substr(at + prefix.size()))) return found->version;
  }
  return std::nullopt;
}

}  // namespace skein::catalog
