// Finds the parts of a line by their position. A scan does this for every line there is, so it is
// written for speed: nothing is searched for that has a fixed place, and nothing is copied.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/store/log/seal.h"
#include "core/text/hex.h"

namespace skein::store::log {

namespace {

constexpr std::uint64_t ones = 0x0101010101010101;

// Four decimal digits at once.
bool parse_decimal4(const char* digits, unsigned& value) {
  std::uint32_t text = 0;
  std::memcpy(&text, digits, sizeof text);
  text ^= 0x30303030;  // digits become 0 to 9, everything else something larger
  if (((text | (text + 0x06060606)) & 0xF0F0F0F0) != 0) return false;
  value = (text & 15) * 1000 + (text >> 8 & 15) * 100 + (text >> 16 & 15) * 10 + (text >> 24);
  return true;
}

// What is left of a line. By value, in two registers: each step returns whether it could be taken.
struct Rest {
  const char* at;
  const char* end;

  // The length is known to the compiler.
  template <std::size_t size>
  bool take(const char (&expected)[size]) {
    constexpr std::size_t length = size - 1;
    if (end - at < static_cast<std::ptrdiff_t>(length)) return false;
    // In two halves that may overlap: g++ calls a function to compare more than eight bytes.
    constexpr std::size_t half = std::min<std::size_t>(length, 8);
    if (std::memcmp(at, expected, half) != 0 ||
        std::memcmp(at + length - half, expected + length - half, half) != 0)
      return false;
    static_assert(length <= 16);
    at += length;
    return true;
  }
  bool take_id(Id& id) {
    if (end - at < 16 || !parse_hex16(at, id.value)) return false;
    at += 16;
    return true;
  }
  // A string's text up to its closing quote; our own writer never escapes in these.
  [[gnu::always_inline]] bool take_plain_string(std::string_view& value) {
    const char* const begin = at;
    const auto zero_bytes = [](std::uint64_t word) { return (word - ones) & ~word & ones * 0x80; };
    // Eight bytes at a look; something always stands behind such a member.
    for (std::uint64_t word = 0; end - at >= 8 && at - begin < 256; at += 8) {
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t found = zero_bytes(word ^ ones * '"') | zero_bytes(word ^ ones * '\\');
      if (found == 0) continue;
      at += std::countr_zero(found) / 8;
      value = {begin, static_cast<std::size_t>(at - begin)};
      return *at++ == '"';
    }
    return false;
  }
};

// ,"seal":"iiii/nnnn:pppppppp:cccccccc"}
bool read_seal(const char* text, Seal& seal) {
  return std::memcmp(text, R"(,"seal":")", 9) == 0 && parse_decimal4(text + 9, seal.place) &&
         text[13] == '/' && parse_decimal4(text + 14, seal.count) && text[18] == ':' &&
         parse_hex8(text + 19, seal.previous) && text[27] == ':' &&
         parse_hex8(text + 28, seal.crc) && std::memcmp(text + 36, "\"}", 2) == 0 &&
         seal.place < seal.count;
}

}  // namespace

std::optional<Line> read_line(std::string_view text) {
  std::optional<Line> out;
  if (text.size() < seal_width || text.size() > max_line_bytes) return out;
  Line line;
  Rest rest{text.data(), text.data() + text.size() - seal_width};
  if (!read_seal(rest.end, line.seal)) return out;

  if (!rest.take(R"({"id":")") || !rest.take_id(line.id) || !rest.take(R"(","parentId":)"))
    return out;
  if (rest.take("\"")) {
    Id parent;
    if (!rest.take_id(parent) || !rest.take("\"")) return out;
    line.parent = parent;
  } else if (!rest.take("null")) {
    return out;
  }
  std::string_view run_id;
  if (!rest.take(R"(,"type":")") || !rest.take_plain_string(line.type) ||
      !rest.take(R"(,"timestamp":")") || !rest.take_plain_string(line.timestamp) ||
      (rest.take(R"(,"runId":")") && !rest.take_plain_string(run_id)) ||
      !rest.take(R"(,"payload":)") || rest.at == rest.end || *rest.at != '{')
    return out;
  line.body = {rest.at, static_cast<std::size_t>(rest.end - rest.at)};
  out = line;
  return out;
}

}  // namespace skein::store::log
