#include "repl/pick/fuzzy.h"

#include "core/text/std.h"

#include "core/text/text.h"

namespace skein::pick {

namespace {

constexpr int hit = 16, in_a_row = 8, word_start = 10, gap = 3, longer_gap = 1;
constexpr int impossible = std::numeric_limits<int>::min() / 2;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_word(char c) { return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80; }

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

// Scratch space, so that a list of thousands asks for memory once.
struct Rows {
  std::vector<int> ending{}, before{};
};

// Dynamic programming, one row per letter of the pattern: ending[j] is the best score with that
// letter at text[j], open[j] the best with it somewhere before j, the gap since then paid for.
std::optional<int> score_word(std::string_view pattern, std::string_view text, Rows& rows) {
  const bool exact = std::ranges::any_of(pattern, is_upper);
  if (!fits_at_all(pattern, text, exact)) return std::nullopt;
  auto& [ending, before] = rows;
  ending.assign(text.size(), impossible);
  before.assign(text.size(), impossible);
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

std::optional<int> score(std::span<const std::string_view> words, std::string_view text,
                         Rows& rows) {
  int total = 0;
  for (const std::string_view word : words) {
    if (word.empty()) continue;
    const std::optional<int> found = score_word(word, text, rows);
    if (!found) return std::nullopt;
    total += *found;
  }
  return total;
}

std::vector<std::size_t> ranked(std::span<const std::string_view> words,
                                std::span<const std::string> texts,
                                std::span<const std::size_t> among) {
  struct Fit {
    std::size_t index;
    int score;
  };
  Rows rows;
  std::vector<Fit> fits;
  for (const std::size_t i : among)
    if (const std::optional<int> found = score(words, texts[i], rows)) fits.push_back({i, *found});
  std::ranges::stable_sort(fits, std::ranges::greater{}, &Fit::score);
  std::vector<std::size_t> out;
  for (const Fit& fit : fits) out.push_back(fit.index);
  return out;
}

// 0: at the start of a word and in one piece, 1: in one piece, 2: with gaps, -1: not at all.
int rough_class(std::string_view word, std::string_view text) {
  const bool exact = std::ranges::any_of(word, is_upper);
  int best = -1;
  for (std::size_t at = 0; at + word.size() <= text.size(); ++at) {
    if (!same(word[0], text[at], exact)) continue;
    std::size_t length = 1;
    while (length < word.size() && same(word[length], text[at + length], exact)) ++length;
    if (length < word.size()) continue;
    if (starts_word(text, at)) return 0;
    best = 1;
  }
  return best > 0 ? best : fits_at_all(word, text, exact) ? 2 : -1;
}

int rough_class(std::span<const std::string_view> words, std::string_view text) {
  int worst = 0;
  for (const std::string_view word : words) {
    const int found = word.empty() ? 0 : rough_class(word, text);
    if (found < 0) return -1;
    worst = std::max(worst, found);
  }
  return worst;
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text) {
  Rows rows;
  return score(split(pattern, ' '), text, rows);
}

std::vector<std::size_t> fuzzy_filter(std::string_view pattern,
                                      std::span<const std::string> texts) {
  std::vector<std::size_t> all(texts.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return ranked(split(pattern, ' '), texts, all);
}

std::vector<std::size_t> fuzzy_among(std::string_view pattern, std::span<const std::string> texts,
                                     std::span<const std::size_t> among) {
  constexpr std::size_t most_weighed = 300;
  const std::vector<std::string_view> words = split(pattern, ' ');
  std::array<std::vector<std::size_t>, 3> by_class;
  for (const std::size_t i : among)
    if (const int found = rough_class(words, texts[i]); found >= 0)
      by_class[static_cast<std::size_t>(found)].push_back(i);
  std::vector<std::size_t> out;
  out.reserve(among.size());
  for (const std::vector<std::size_t>& each : by_class)
    out.insert(out.end(), each.begin(), each.end());
  const std::size_t weighed = std::min(out.size(), most_weighed);
  std::ranges::copy(ranked(words, texts, std::span(out).first(weighed)), out.begin());
  return out;
}

}  // namespace skein::pick
