// Text that was drawn for a terminal, by its rows: whole lines, with their styles.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skein::layout {

// How many rows it takes; `width` 0: one for each line.
std::size_t rows_of(std::string_view drawn, std::size_t width);

// What is left of it in so many rows, at least a line.
struct Cut {
  std::string_view text{};
  std::size_t lines_out = 0;
};
Cut first_rows(std::string_view drawn, std::size_t rows, std::size_t width);
Cut last_rows(std::string_view drawn, std::size_t rows, std::size_t width);

}  // namespace skein::layout
