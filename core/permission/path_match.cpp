// Rules about paths: covers_place and what belongs to it.
#include <algorithm>

#include "core/permission/rule_match.h"
#include "core/text/glob.h"
#include "core/text/text.h"

namespace skein::permission {

namespace {

bool is_everything(std::string_view pattern) { return pattern == "*" || pattern == "**"; }

// Whether a pattern covers a name of a place, both beginning at the same folder.
bool covers_name(std::string_view pattern, std::string_view name, Purpose purpose) {
  if (name.empty()) return false;
  if (name == ".") return is_everything(pattern);
  if (glob_match(pattern, name)) return true;
  if (purpose == Purpose::allow) return pattern == "*";
  // A folder that is forbidden takes what is in it along; `secrets/*` means the folder, too.
  if (glob_match(pattern, std::string(name) + "/")) return true;
  for (std::size_t end = name.find('/', 1); end != std::string_view::npos;
       end = name.find('/', end + 1))
    if (glob_match(pattern, name.substr(0, end))) return true;
  return false;
}

bool covers_any_part(std::string_view pattern, std::string_view path) {
  return std::ranges::any_of(split(path, '/'),
                             [&](std::string_view part) { return glob_match(pattern, part); });
}

// The part of a pattern in front of its first wildcard, up to a slash; and the rest.
std::pair<std::string, std::string> split_at_wildcard(const std::string& pattern) {
  const std::size_t wild = pattern.find_first_of("*?[\\");
  if (wild == std::string::npos) return {pattern, ""};
  const std::size_t slash = pattern.substr(0, wild).rfind('/');
  if (slash == std::string::npos) return {"", pattern};
  return {pattern.substr(0, slash), pattern.substr(slash)};
}

std::string as_pattern(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::optional<std::string> plain_path(std::string_view path) {
  if (path.starts_with('/')) return std::nullopt;
  if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    return std::nullopt;
  std::string plain;
  for (const std::string_view part : split(path, '/')) {
    if (part == "..") return std::nullopt;
    if (!part.empty() && part != ".") plain += (plain.empty() ? "" : "/") + std::string(part);
  }
  return plain.empty() ? "." : plain;
}

bool covers_place(const Rule& rule, const Located& place, Purpose purpose) {
  const std::string_view pattern = rule.pattern;
  if (pattern.empty()) return purpose == Purpose::deny || !place.below.empty();
  if (pattern.starts_with("~/")) return covers_name(pattern, place.from_home, purpose);
  if (pattern.starts_with("//")) return covers_name(pattern.substr(1), place.absolute, purpose);
  if (pattern.starts_with("/"))
    return covers_name(pattern, place.absolute, purpose) ||
           covers_name(pattern.substr(1), place.below, purpose);
  if (purpose == Purpose::deny && pattern.find('/') == std::string_view::npos &&
      place.below != "." && covers_any_part(pattern, place.below))
    return true;
  return covers_name(pattern, place.below, purpose);
}

std::optional<Rule> through_links(const Rule& rule, const model::Locate& locate) {
  if (!locate || rule.pattern.starts_with("~/")) return std::nullopt;
  const bool from_root = rule.pattern.starts_with("//");
  const auto [start, rest] = split_at_wildcard(rule.pattern.substr(from_root ? 1 : 0));
  if (start.empty() || start == "/") return std::nullopt;
  Located place = locate(start);
  if (!place.exists && start.starts_with('/') && !from_root) place = locate(start.substr(1));
  if (!place.exists || place.below == start || place.absolute.empty() || place.absolute == start)
    return std::nullopt;
  Rule real = rule;
  real.pattern = "/" + as_pattern(place.absolute) + rest;
  return real;
}

}  // namespace skein::permission
