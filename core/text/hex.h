// Hex digits as numbers, eight at a time: a scan of a transcript reads forty-eight of them per
// line.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace skein {

// The value of eight lower-case digits; false if they are something else.
[[gnu::always_inline]] inline bool parse_hex8(const char* digits, std::uint32_t& value) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t ones = 0x0101010101010101;
  std::uint64_t text = 0;
  std::memcpy(&text, digits, sizeof text);
  const std::uint64_t letter = text >> 6 & ones;  // 1 where it is a-f rather than 0-9
  std::uint64_t nibble = (text & ones * 0x0F) + letter * 9;
  // 0-9 and a-f, and nothing that merely shares their low bits.
  if (nibble + ones * '0' + letter * ('a' - '0' - 10) != text || (nibble & ones * 0xF0) != 0 ||
      ((nibble + ones * 6) >> 4 & ones) != letter)
    return false;
  nibble = __builtin_bswap64(nibble);  // the first digit is the highest
  nibble = (nibble | nibble >> 4) & 0x00FF00FF00FF00FF;
  nibble = (nibble | nibble >> 8) & 0x0000FFFF0000FFFF;
  value = static_cast<std::uint32_t>(nibble | nibble >> 16);
  return true;
}

// The same of sixteen.
inline bool parse_hex16(const char* digits, std::uint64_t& value) {
  std::uint32_t high = 0, low = 0;
  if (!parse_hex8(digits, high) || !parse_hex8(digits + 8, low)) return false;
  value = static_cast<std::uint64_t>(high) << 32 | low;
  return true;
}

}  // namespace skein
