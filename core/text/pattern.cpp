#include "core/text/pattern.h"

#include <re2/re2.h>

#include "core/text/base.h"

namespace skein {

namespace {

constexpr int most_memory = 8 << 20;
// A hundred forms in one pattern have more states than a user's.
constexpr int most_memory_of_ours = 64 << 20;
// Steps times bytes that take a second or two at worst.
constexpr std::size_t most_work = 100'000'000;
constexpr std::size_t least_piece = 1024;

// RE2's own class, of which newer versions make none from std::string_view.
re2::StringPiece piece_of(std::string_view text) { return {text.data(), text.size()}; }

// \uHHHH and \u{H…} as RE2 spells them.
std::string spelled(std::string_view pattern) {
  const auto is_hex = [](unsigned char c) { return std::isxdigit(c) != 0; };
  std::string out;
  for (std::size_t size = 1; !pattern.empty(); pattern.remove_prefix(size)) {
    size = pattern[0] == '\\' && pattern.size() > 1 ? 2 : 1;
    if (pattern.starts_with("\\u{")) {
      out += "\\x";
    } else if (pattern.starts_with("\\u") && pattern.size() >= 6 &&
               std::ranges::all_of(pattern.substr(2, 4), is_hex)) {
      out.append("\\x{").append(pattern.substr(2, 4)).append("}");
      size = 6;
    } else {
      out += pattern.substr(0, size);
    }
  }
  return out;
}

}  // namespace

std::variant<Regex, std::string> Regex::compile(std::string_view pattern, Case letter_case) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(most_memory);
  options.set_case_sensitive(letter_case == Case::sensitive);
  Regex regex;
  regex.expression_ = std::make_shared<const RE2>(spelled(pattern), options);
  if (!regex.expression_->ok())
    return "the pattern cannot be used: " + regex.expression_->error() +
           " (RE2 syntax: no look-around, no back references)";
  const auto steps = static_cast<std::size_t>(std::max(1, regex.expression_->ProgramSize()));
  regex.piece_bytes_ = std::max(least_piece, most_work / steps);
  if (letter_case == Case::sensitive &&
      pattern.find_first_of("\\^$.|?*+()[]{}") == std::string_view::npos)
    regex.required_ = pattern;
  return regex;
}

bool Regex::found_in(std::string_view line, const std::function<bool()>& give_up) const {
  // The whole line stays in view, so that ^, $ and \b mean its ends and not those of a piece.
  for (std::size_t from = 0;; from += piece_bytes_ / 2) {
    const std::size_t to = std::min(line.size(), from + piece_bytes_);
    if (expression_->Match(piece_of(line), from, to, RE2::UNANCHORED, nullptr, 0)) return true;
    if (to == line.size() || (give_up && give_up())) return false;
  }
}

Regex Regex::of_bytes(std::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(most_memory_of_ours);
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_dot_nl(true);
  Regex regex;
  regex.expression_ = std::make_shared<const RE2>(piece_of(pattern), options);
  if (!regex.expression_->ok())
    throw Error("the pattern " + std::string(pattern) + ": " + regex.expression_->error());
  return regex;
}

std::optional<Regex::Match> Regex::find(std::string_view text, std::size_t from,
                                        Place place) const {
  re2::StringPiece parts[2];
  const int wanted = place == Place::exactly && expression_->NumberOfCapturingGroups() > 0 ? 2 : 1;
  const auto anchor = place == Place::exactly ? RE2::ANCHOR_START : RE2::UNANCHORED;
  if (from > text.size() ||
      !expression_->Match(piece_of(text), from, text.size(), anchor, parts, wanted))
    return std::nullopt;
  const auto span = [&](const re2::StringPiece& part) {
    const auto begin = static_cast<std::size_t>(part.data() - text.data());
    return Span{begin, begin + part.size()};
  };
  Match match{span(parts[0]), span(parts[0])};
  if (parts[1].data() != nullptr) match.group = span(parts[1]);
  return match;
}

std::optional<Regex::Span> Regex::first_in(std::string_view line, std::size_t start) const {
  for (std::size_t from = start; from <= line.size(); from += piece_bytes_ / 2) {
    const std::size_t to = std::min(line.size(), from + piece_bytes_);
    re2::StringPiece match;
    if (expression_->Match(piece_of(line), from, to, RE2::UNANCHORED, &match, 1) &&
        !match.empty()) {
      const auto begin = static_cast<std::size_t>(match.data() - line.data());
      return Span{begin, begin + match.size()};
    }
    if (to == line.size()) break;
  }
  return std::nullopt;
}

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

std::string glob_quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace skein
