// What a misspelled word was probably meant to be.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace skein {

// How many letters have to be put in, taken out or replaced to get from one to the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The one of `known` that is nearest to `word`; empty if none is near enough to be meant.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace skein
