// Bytes as text: base64, hex digits, escapes of URLs and of HTML; and what kind of bytes they are:
// an image, text, or neither.
#pragma once

#include "core/text/std.h"

namespace skein {

// Hex digits as numbers, eight at a time: a scan of a transcript reads forty-eight of them per
// line.
//
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

// The last `digits` of a number's lower-case hex digits.
inline std::string hex(std::uint64_t value, std::size_t digits) {
  std::string text(digits, '0');
  for (; digits-- > 0; value >>= 4) text[digits] = "0123456789abcdef"[value & 15];
  return text;
}

std::string base64(std::string_view bytes);
// Either alphabet, with or without padding and line ends; nullopt: something else is in it.
std::optional<std::string> from_base64(std::string_view text);

// %41 is A; what is no such escape stays as it is.
std::string percent_decoded(std::string_view text);

// As text and attribute values of HTML have it: of control characters those in `kept` stay, and
// `instead` takes the place of the others.
std::string html_escaped(std::string_view text, std::string_view kept = "\n\t",
                         std::string_view instead = "\uFFFD");

// image/png and the like; empty: none that models take.
std::string_view image_type(std::string_view bytes);

inline constexpr std::size_t most_image_bytes = 5 * 1024 * 1024;  // what providers accept

// A PDF by its first bytes, or a notebook by its name: a model reads it as text, made from all of
// it.
bool is_document(std::string_view name, std::string_view head);
inline constexpr std::string_view pdf_magic = "%PDF-";
inline constexpr std::size_t most_document_bytes = 64 * 1024 * 1024;

// A NUL among the first bytes: not text.
bool looks_binary(std::string_view bytes);
// "an ELF program or library", say; "a binary file" if it is none that is known.
std::string_view binary_kind(std::string_view bytes);
// The first bytes as a hex dump, for what is not text.
std::string hex_head(std::string_view bytes);

}  // namespace skein
