#include "core/text/spelling.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace skein {

// Levenshtein's distance, two letters that changed places counted once; three rows at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above(b.size() + 1), row(b.size() + 1), below(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    below[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      below[j] =
          std::min({row[j] + 1, below[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        below[j] = std::min(below[j], above[j - 2] + 1);
    }
    std::swap(above, row);
    std::swap(row, below);
  }
  return row.back();
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  // People misspell at most a third of a word, and its length is off by less than that.
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::string_view best;
  std::size_t least = limit + 1;
  for (const std::string_view each : known) {
    if (each.size() > word.size() + limit || word.size() > each.size() + limit) continue;
    if (const std::size_t away = edit_distance(word, each); away < least) {
      least = away;
      best = each;
    }
  }
  return best;
}

}  // namespace skein
