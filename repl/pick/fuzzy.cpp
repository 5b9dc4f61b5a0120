#include "repl/pick/fuzzy.h"

#include <algorithm>
#include <limits>

#include "core/text/text.h"

namespace skein::pick {

namespace {

constexpr int hit = 16, in_a_row = 8, word_start = 10, gap = 3, longer_gap = 1;
constexpr int impossible = std::numeric_limits<int>::min() / 2;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_word(char c) {
  const char l = lower(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

bool starts_word(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  return (is_word(text[at]) && !is_word(text[at - 1])) ||
         (is_upper(text[at]) && !is_upper(text[at - 1]));
}

bool same(char pattern, char text, bool exact) {
  return exact ? pattern == text : pattern == lower(text);
}

// Most texts of a list do not match; one pass finds that out.
bool fits_at_all(std::string_view pattern, std::string_view text, bool exact) {
  std::size_t next = 0;
  for (const char c : text)
    if (next < pattern.size() && same(pattern[next], c, exact)) ++next;
  return next == pattern.size();
}

// Dynamic programming, one row per letter of the pattern: ending[j] is the best score with that
// letter at text[j], open[j] the best with it somewhere before j, the gap since then paid for.
std::optional<int> score_word(std::string_view pattern, std::string_view text) {
  const bool exact = std::ranges::any_of(pattern, is_upper);
  if (!fits_at_all(pattern, text, exact)) return std::nullopt;
  std::vector<int> ending(text.size(), impossible), before(text.size(), impossible);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    std::swap(ending, before);
    int open = impossible;
    for (std::size_t j = 0; j < text.size(); ++j) {
      int best = i == 0 ? 0 : open;
      if (i > 0 && j > 0) best = std::max(best, before[j - 1] + in_a_row);
      ending[j] = same(pattern[i], text[j], exact) && best > impossible
                      ? best + hit + (starts_word(text, j) ? word_start : 0)
                      : impossible;
      open = std::max(open - longer_gap, j > 0 ? before[j - 1] - gap : impossible);
      open = std::max(open, impossible);
    }
  }
  return *std::ranges::max_element(ending);
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text) {
  int total = 0;
  for (const std::string_view word : split(pattern, ' ')) {
    if (word.empty()) continue;
    const std::optional<int> score = score_word(word, text);
    if (!score) return std::nullopt;
    total += *score;
  }
  return total;
}

std::vector<std::size_t> fuzzy_filter(std::string_view pattern,
                                      std::span<const std::string> texts) {
  std::vector<std::size_t> all(texts.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return fuzzy_among(pattern, texts, all);
}

std::vector<std::size_t> fuzzy_among(std::string_view pattern, std::span<const std::string> texts,
                                     std::span<const std::size_t> among) {
  struct Fit {
    std::size_t index;
    int score;
  };
  std::vector<Fit> fits;
  for (const std::size_t i : among)
    if (const std::optional<int> score = fuzzy_score(pattern, texts[i]))
      fits.push_back({i, *score});
  std::ranges::stable_sort(fits, std::ranges::greater{}, &Fit::score);
  std::vector<std::size_t> out;
  out.reserve(fits.size());
  for (const Fit& fit : fits) out.push_back(fit.index);
  return out;
}

}  // namespace skein::pick
