// What a status command printed, as rows that cannot harm the terminal: colours and other
// attributes stay, every other sequence goes, and all else is sanitized. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skein::status {

struct Row {
  std::string text{};       // with its attributes, which end with it
  std::size_t columns = 0;  // how wide it is
  bool operator==(const Row&) const = default;
};

inline constexpr std::size_t most_rows = 3;

// The first rows, each cut to `columns`. `colour`: whether attributes stay.
std::vector<Row> safe_rows(std::string_view printed, std::size_t columns, bool colour);

}  // namespace skein::status
