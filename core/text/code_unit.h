// UTF-16 code units as JSON escapes them: \ud83d, and the pairs of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace skein {

inline constexpr std::size_t escaped_unit_length = 6;

// Of the \uXXXX at the start of `json`; none: it is no such escape.
inline std::optional<char32_t> escaped_unit(std::string_view json) {
  if (json.size() < escaped_unit_length || json[0] != '\\' || json[1] != 'u') return std::nullopt;
  char32_t unit = 0;
  for (const char c : json.substr(2, 4)) {
    const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    unit = unit << 4 | static_cast<char32_t>(digit > 15 ? digit - 6 : digit);
  }
  return unit;
}

inline bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
inline bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }
inline bool is_surrogate(char32_t unit) { return unit >= 0xD800 && unit < 0xE000; }

// The character that the two halves are.
inline char32_t joined_surrogates(char32_t high, char32_t low) {
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

}  // namespace skein
