#include "core/search/needle.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/text/text.h"

namespace skein::search {

namespace {

// Sixteen bytes in one register, on every processor we build for.
using Lanes [[gnu::vector_size(16)]] = unsigned char;
constexpr std::size_t width = sizeof(Lanes);

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// How rarely a byte stands in a transcript, roughly; 0 is everywhere.
unsigned rarity_of(char c) {
  constexpr std::string_view letters = "etaoinsrldcupmhgfbywvkxjqz";
  if (const std::size_t at = letters.find(c); at != std::string_view::npos)
    return 2 + static_cast<unsigned>(at) / 2;
  if (c == '"' || c == ' ' || c == ',' || c == ':' || c == '\\') return 0;
  if (c >= '0' && c <= '9') return 4;
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0xC0) return 5;  // the first of a character: the same for a whole script
  return byte >= 0x80 ? 9 : 6;
}

Lanes load(const char* from) {
  Lanes out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

Lanes all(unsigned char byte) { return Lanes{} + byte; }

bool any(Lanes lanes) {
  std::uint64_t halves[2];
  std::memcpy(halves, &lanes, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

}  // namespace

Needle::Needle(std::string_view bytes) : bytes_(lower(bytes)) {
  for (std::size_t i = 1; i < bytes_.size(); ++i)
    if (rarity_of(bytes_[i]) > rarity_of(bytes_[first_])) first_ = i;
  second_ = first_ == 0 && bytes_.size() > 1 ? 1 : 0;
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    if (i != first_ && rarity_of(bytes_[i]) > rarity_of(bytes_[second_])) second_ = i;
  for (const char c : bytes_) rarity_ += 1 + rarity_of(c);
}

bool Needle::stands_at(const char* place) const {
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    const char c = place[i];
    if (c != bytes_[i] && !(is_letter(bytes_[i]) && static_cast<char>(c | 0x20) == bytes_[i]))
      return false;
  }
  return true;
}

std::size_t Needle::find(std::string_view text, std::size_t from) const {
  if (text.size() < bytes_.size() || from > text.size() - bytes_.size())
    return std::string_view::npos;
  const std::size_t last = text.size() - bytes_.size();
  const char* const base = text.data();
  const char one = bytes_[first_], two = bytes_[second_];
  const Lanes case_one = all(is_letter(one) ? 0x20 : 0), case_two = all(is_letter(two) ? 0x20 : 0);
  const Lanes want_one = all(static_cast<unsigned char>(one));
  const Lanes want_two = all(static_cast<unsigned char>(two));
  const auto fits = [&](std::size_t at) {
    return Lanes(((load(base + at + first_) | case_one) == want_one) &
                 ((load(base + at + second_) | case_two) == want_two));
  };
  std::size_t at = from;
  for (; at + 2 * width <= last + 1; at += 2 * width) {
    if (!any(fits(at) | fits(at + width))) continue;
    for (std::size_t i = at; i < at + 2 * width; ++i)
      if (stands_at(base + i)) return i;
  }
  for (; at <= last; ++at)
    if (stands_at(base + at)) return at;
  return std::string_view::npos;
}

}  // namespace skein::search
