#include "core/text/base64.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace skein {

namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::int8_t none = -1, passed_over = -2;

constexpr std::array<std::int8_t, 256> values = [] {
  std::array<std::int8_t, 256> table{};
  table.fill(none);
  for (std::size_t i = 0; i < digits.size(); ++i)
    table[static_cast<unsigned char>(digits[i])] = static_cast<std::int8_t>(i);
  table['-'] = table['+'];
  table['_'] = table['/'];
  for (const char c : {'=', '\n', '\r'}) table[static_cast<unsigned char>(c)] = passed_over;
  return table;
}();

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size()))) {
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= bytes.size() ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  unsigned bits = 0;
  int have = 0;
  for (const char c : text) {
    const std::int8_t value = values[static_cast<unsigned char>(c)];
    if (value == passed_over) continue;
    if (value == none) return std::nullopt;
    bits = bits << 6 | static_cast<unsigned>(value);
    if ((have += 6) < 8) continue;
    have -= 8;
    out += static_cast<char>(bits >> have & 0xFF);
  }
  return out;
}

}  // namespace skein
