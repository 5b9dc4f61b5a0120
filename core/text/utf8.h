// UTF-8, a character at a time, and the UTF-16 code units that JSON escapes (\ud83d).
#pragma once

#include "core/text/std.h"

namespace skein {

// A character, a malformed piece that one U+FFFD replaces (`good` is false), or one that is cut
// off at the end of the text (`cut`: good so far).
struct Utf8Character {
  char32_t point = 0;
  std::size_t length = 1;
  bool good = false;
  bool cut = false;
};

// The one at the start of `text`, which is not empty.
inline Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte's range excludes overlong forms, surrogates and code points above U+10FFFF.
  const unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t point = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {0, i, false, true};
    if (byte(i) < (i == 1 ? lowest : 0x80) || byte(i) > (i == 1 ? highest : 0xBF))
      return {0, i, false};
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  return {point, length, true};
}

// `point` is no surrogate, and at most U+10FFFF.
inline void append_utf8(std::string& out, char32_t point) {
  const std::size_t more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr char32_t leads[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(leads[more] | point >> (6 * more));
  for (std::size_t i = more; i-- > 0;) out += static_cast<char>(0x80 | (point >> (6 * i) & 0x3F));
}

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
