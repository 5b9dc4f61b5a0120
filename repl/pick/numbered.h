// A list that is read out and answered with a number, where there is no list to walk through. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace skein::pick {

// The title, "1: …" for each line, and what to answer.
std::string numbered_list(std::string_view title, std::span<const std::string> lines);
// The place in the list that an answer means, from 0; none: it is no number of a line.
std::optional<std::size_t> number_in(std::string_view answer, std::size_t lines);

}  // namespace skein::pick
