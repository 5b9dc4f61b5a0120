// How many terminal columns a text takes, by grapheme clusters: valid UTF-8, no escape sequences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skein::layout {

// The grapheme cluster at the start of `text`, which is not empty.
struct Grapheme {
  std::size_t bytes = 0;
  std::size_t columns = 0;
};
Grapheme first_grapheme(std::string_view text);

// How far the cursor moves when `text` is written at `column`. Tabs go to multiples of 8.
std::size_t display_width(std::string_view text, std::size_t column = 0);

// At most `columns` wide: a text that is too long has its end, or its start, replaced by "…".
std::string fit(std::string_view text, std::size_t columns);
std::string fit_end(std::string_view text, std::size_t columns);

// At least `columns` wide, padded with spaces at the end.
std::string padded(std::string text, std::size_t columns);
std::string repeated(std::string_view text, std::size_t times);

// A folder as people write it: the home folder is ~.
std::string short_folder(const std::string& folder);

}  // namespace skein::layout
