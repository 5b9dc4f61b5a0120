#include "core/text/printable_json.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace skein {

namespace {

struct Range {
  unsigned first, last;
};
constexpr Range obeyed[] = {
    {0x7F, 0x9F},      // DEL, C1
    {0x61C, 0x61C},    // Arabic letter mark
    {0x200E, 0x200F},  // left-to-right and right-to-left mark
    {0x2028, 0x202E},  // line and paragraph separator, embeddings and overrides
    {0x2066, 0x2069},  // isolates
    {0xFEFF, 0xFEFF},
};

// The code point of the valid UTF-8 sequence at the start of `text`, if it has at most three bytes:
// nothing beyond is of interest.
unsigned code_point(std::string_view text, std::size_t& length) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(text[i]));
  };
  length = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  switch (length) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3: return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default: return 0;
  }
}

}  // namespace

JsonText printable_json(std::string_view json) {
  std::string clean;
  if (!is_valid_utf8(json)) json = clean = valid_utf8(json);
  std::string out;
  out.reserve(json.size());
  const auto plain = [](char c) { return static_cast<unsigned char>(c) < 0x7F; };
  while (!json.empty()) {
    const auto run = static_cast<std::size_t>(std::ranges::find_if_not(json, plain) - json.begin());
    out += json.substr(0, run);
    json.remove_prefix(run);
    if (json.empty()) break;
    std::size_t length = 0;
    const unsigned point = code_point(json, length);
    const bool drives = std::ranges::any_of(
        obeyed, [&](const Range& range) { return point >= range.first && point <= range.last; });
    if (drives) {
      char escape[16];
      std::snprintf(escape, sizeof escape, "\\u%04x", point);
      out += escape;
    } else {
      out += json.substr(0, length);
    }
    json.remove_prefix(length);
  }
  return out;
}

}  // namespace skein
