// How well a few typed letters match a text: in order but with gaps, with higher scores at the
// starts of words and for letters in a row. Of several words separated by spaces, all must match.
#pragma once

#include "core/text/std.h"

namespace skein::pick {

// Nothing if it does not match. Case matters only if a capital was typed.
std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text);

// The indices of the matching texts, best first; ties keep their order.
std::vector<std::size_t> fuzzy_filter(std::string_view pattern, std::span<const std::string> texts);
// The same among some of them, given by their indices, for a list that must answer to every key:
// of many only the most promising are weighed exactly, the others follow in a rough order.
std::vector<std::size_t> fuzzy_among(std::string_view pattern, std::span<const std::string> texts,
                                     std::span<const std::size_t> among);

}  // namespace skein::pick
