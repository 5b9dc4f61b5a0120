// A few words around what was found, on one line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/search/query.h"

namespace skein::search {

struct Snippet {
  std::string text{};  // untrusted, but without line ends
  // What fits the query, from a character to before another, in order, none within another.
  // Counted in code points.
  std::vector<std::pair<std::size_t, std::size_t>> offsets{};
};

Snippet snippet_of(std::string_view text, const Query& query, std::size_t characters = 160);

}  // namespace skein::search
