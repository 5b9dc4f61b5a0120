// How many terminal columns a text takes, by grapheme clusters: valid UTF-8, no escape sequences.
#pragma once

#include "core/text/std.h"

namespace skein::layout {

// A place on the screen, counted from 0.
struct Caret {
  std::size_t row = 0, column = 0;
  bool operator==(const Caret&) const = default;
};

// What is left of a room of which some is taken; 0: nothing.
constexpr std::size_t left_of(std::size_t room, std::size_t taken) {
  return room > taken ? room - taken : 0;
}

// The grapheme cluster at the start of `text`, which is not empty.
struct Grapheme {
  std::size_t bytes = 0;
  std::size_t columns = 0;
};
Grapheme first_grapheme(std::string_view text);

// How far the cursor moves when `text` is written at `column`. Tabs go to multiples of 8.
std::size_t display_width(std::string_view text, std::size_t column = 0);

// How many rows so many columns take in a window of that width; at least one.
constexpr std::size_t rows_taken(std::size_t columns, std::size_t width) {
  return width == 0 || columns == 0 ? 1 : (columns + width - 1) / width;
}

// At most `columns` wide: a text that is too long has its end, or its start, replaced by "…".
std::string fit(std::string_view text, std::size_t columns);
std::string fit_end(std::string_view text, std::size_t columns);

// At least `columns` wide, padded with spaces at the end.
std::string padded(std::string text, std::size_t columns);
std::string repeated(std::string_view text, std::size_t times);

// A folder as people write it: the home folder is ~.
std::string short_folder(const std::string& folder);

}  // namespace skein::layout
