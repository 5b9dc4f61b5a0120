#include "core/search/needle.h"

#include <algorithm>

#include "core/search/lanes.h"
#include "core/text/text.h"

namespace skein::search {

namespace {

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
  const Lanes case_one = all_lanes(is_letter(one) ? 0x20 : 0);
  const Lanes case_two = all_lanes(is_letter(two) ? 0x20 : 0);
  const Lanes want_one = all_lanes(one), want_two = all_lanes(two);
  const auto fits = [&](std::size_t at) {
    return Lanes(((load_lanes(base + at + first_) | case_one) == want_one) &
                 ((load_lanes(base + at + second_) | case_two) == want_two));
  };
  std::size_t at = from;
  for (; at + 2 * lane_count <= last + 1; at += 2 * lane_count) {
    const Lanes halves[] = {fits(at), fits(at + lane_count)};
    if (!any_lane(halves[0] | halves[1])) continue;
    for (std::size_t begin = at; const Lanes half : halves) {
      const std::size_t lane =
          first_lane(half, [&](std::size_t i) { return stands_at(base + begin + i); });
      if (lane < lane_count) return begin + lane;
      begin += lane_count;
    }
  }
  for (; at <= last; ++at)
    if (stands_at(base + at)) return at;
  return std::string_view::npos;
}

}  // namespace skein::search
