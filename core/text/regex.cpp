#include "core/text/regex.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>

#include "core/text/base.h"

namespace skein {

namespace {

constexpr int most_memory = 8 << 20;
// A hundred forms in one pattern have more states than a user's.
constexpr int most_memory_of_ours = 64 << 20;
// Steps times bytes that take a second or two at worst.
constexpr std::size_t most_work = 100'000'000;
constexpr std::size_t least_piece = 1024;

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
    if (expression_->Match(line, from, to, RE2::UNANCHORED, nullptr, 0)) return true;
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
  regex.expression_ =
      std::make_shared<const RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!regex.expression_->ok())
    throw Error("the pattern " + std::string(pattern) + ": " + regex.expression_->error());
  return regex;
}

std::optional<Regex::Match> Regex::find(std::string_view text, std::size_t from,
                                        Place place) const {
  re2::StringPiece parts[2];
  const int wanted = place == Place::exactly && expression_->NumberOfCapturingGroups() > 0 ? 2 : 1;
  const auto anchor = place == Place::exactly ? RE2::ANCHOR_START : RE2::UNANCHORED;
  if (from > text.size() || !expression_->Match(text, from, text.size(), anchor, parts, wanted))
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
    if (expression_->Match(line, from, to, RE2::UNANCHORED, &match, 1) && !match.empty()) {
      const auto begin = static_cast<std::size_t>(match.data() - line.data());
      return Span{begin, begin + match.size()};
    }
    if (to == line.size()) break;
  }
  return std::nullopt;
}

}  // namespace skein
