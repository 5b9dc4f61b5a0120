// How well a few typed letters fit a text, the way people narrow a list down: the letters in order
// but with gaps, better at the starts of words and in a row. Words with spaces between must all
// fit.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skein::pick {

// Nothing if it does not fit. Capitals are only told apart if one was typed.
std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text);

// The indices of the texts that fit, the best first; equals stay in their order.
std::vector<std::size_t> fuzzy_filter(std::string_view pattern, std::span<const std::string> texts);

}  // namespace skein::pick
