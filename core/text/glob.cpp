#include "core/text/glob.h"

#include <array>
#include <cctype>
#include <cstddef>
#include <vector>

namespace skein {

namespace {

struct CharClass {
  std::string_view name;
  int (*holds)(int);
};
constexpr std::array classes{
    CharClass{"alpha", std::isalpha}, CharClass{"digit", std::isdigit},
    CharClass{"alnum", std::isalnum}, CharClass{"upper", std::isupper},
    CharClass{"lower", std::islower}, CharClass{"space", std::isspace},
    CharClass{"punct", std::ispunct}, CharClass{"xdigit", std::isxdigit},
};

// `pattern` is what follows "[". If the set is well formed, `used` is its length with "]".
bool in_set(std::string_view pattern, char c, std::size_t& used) {
  std::size_t at = 0;
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  bool found = false;
  for (bool first = true; at < pattern.size(); first = false) {
    if (pattern[at] == ']' && !first) {
      used = at + 1;
      return found != negated && c != '/';
    }
    if (pattern.substr(at).starts_with("[:")) {
      const std::size_t end = pattern.find(":]", at);
      if (end == std::string_view::npos) break;
      for (const CharClass& each : classes)
        if (each.name == pattern.substr(at + 2, end - at - 2))
          found |= each.holds(static_cast<unsigned char>(c)) != 0;
      at = end + 2;
      continue;
    }
    const auto next = [&] {
      if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
      return static_cast<unsigned char>(pattern[at++]);
    };
    const unsigned char low = next();
    unsigned char high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      ++at;
      high = next();
    }
    const auto byte = static_cast<unsigned char>(c);
    found |= low <= byte && byte <= high;
  }
  used = 0;  // never closed: matches nothing
  return false;
}

class Match {
 public:
  Match(std::string_view pattern, std::string_view text)
      : pattern_(pattern), text_(text), failed_((pattern.size() + 1) * (text.size() + 1)) {}

  // Every (p, t) is tried once; without the table `*a*a*a*b` takes exponential time.
  bool from(std::size_t p, std::size_t t) {
    const std::size_t state = p * (text_.size() + 1) + t;
    if (failed_[state]) return false;
    if (step(p, t)) return true;
    failed_[state] = true;
    return false;
  }

 private:
  bool step(std::size_t p, std::size_t t) {
    for (; p < pattern_.size(); ++p, ++t) {
      if (pattern_[p] == '*') return star(p, t);
      if (t == text_.size()) return false;
      std::size_t used = 0;
      switch (pattern_[p]) {
        case '?':
          if (text_[t] == '/') return false;
          break;
        case '[':
          if (!in_set(pattern_.substr(p + 1), text_[t], used)) return false;
          p += used;
          break;
        case '\\':
          if (p + 1 < pattern_.size()) ++p;
          [[fallthrough]];
        default:
          if (pattern_[p] != text_[t]) return false;
      }
    }
    return t == text_.size();
  }

  bool star(std::size_t p, std::size_t t) {
    std::size_t after = p;
    while (after < pattern_.size() && pattern_[after] == '*') ++after;
    const bool whole_part =
        (p == 0 || pattern_[p - 1] == '/') && (after == pattern_.size() || pattern_[after] == '/');
    const bool crosses = after - p == 2 && whole_part;
    // "**/" may stand for nothing at all, its slash included.
    if (crosses && after < pattern_.size() && from(after + 1, t)) return true;
    for (;; ++t) {
      if (from(after, t)) return true;
      if (t == text_.size() || (text_[t] == '/' && !crosses)) return false;
    }
  }

  std::string_view pattern_, text_;
  std::vector<bool> failed_;
};

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text) {
  constexpr std::size_t longest = 4096;  // of either: as long as a path can be
  if (pattern.size() > longest || text.size() > longest) return false;
  return Match(pattern, text).from(0, 0);
}

}  // namespace skein
