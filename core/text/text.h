// Small things done to text everywhere.
#pragma once

#include <span>
#include <string>

namespace skein {

std::string listed(std::span<const std::string> words);  // "a, b, c"

}  // namespace skein
