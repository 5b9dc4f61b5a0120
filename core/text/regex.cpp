#include "core/text/regex.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>

namespace skein {

namespace {

constexpr int most_memory = 8 << 20;
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

std::optional<Regex::Place> Regex::first_in(std::string_view line, std::size_t start) const {
  for (std::size_t from = start; from <= line.size(); from += piece_bytes_ / 2) {
    const std::size_t to = std::min(line.size(), from + piece_bytes_);
    re2::StringPiece match;
    if (expression_->Match(line, from, to, RE2::UNANCHORED, &match, 1) && !match.empty()) {
      const auto begin = static_cast<std::size_t>(match.data() - line.data());
      return Place{begin, begin + match.size()};
    }
    if (to == line.size()) break;
  }
  return std::nullopt;
}

}  // namespace skein
