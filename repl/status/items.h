// The line that stands above the prompt without a command of the user's: a few facts, in the order
// in which they matter. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "repl/status/facts.h"

namespace skein::status {

std::vector<std::string_view> item_names();
std::vector<std::string> usual_items();

// At most `columns` wide: what does not fit is left out, the last first, and so is what is not
// known. Safe for a terminal; empty: there is nothing to say.
std::string items_text(std::span<const std::string> items, const Facts& facts, std::size_t columns);

}  // namespace skein::status
