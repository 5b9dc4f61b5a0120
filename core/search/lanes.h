// Sixteen bytes in one register, on every processor we build for, and compared at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace skein::search {

using Lanes [[gnu::vector_size(16)]] = unsigned char;
inline constexpr std::size_t lane_count = sizeof(Lanes);

inline Lanes load_lanes(const char* from) {
  Lanes out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

inline Lanes all_lanes(char byte) { return Lanes{} + static_cast<unsigned char>(byte); }

inline bool any_lane(Lanes lanes) {
  std::uint64_t halves[2];
  std::memcpy(halves, &lanes, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

// The first lane of those that are all ones (the others are all zeros) of which `fits` is true;
// lane_count: none.
template <class Fits>
std::size_t first_lane(Lanes lanes, Fits fits) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t halves[2];
  std::memcpy(halves, &lanes, sizeof halves);
  for (std::size_t half = 0; half < 2; ++half)
    for (std::uint64_t rest = halves[half]; rest != 0;) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest)) / 8;
      if (fits(8 * half + lane)) return 8 * half + lane;
      rest &= ~(std::uint64_t{0xFF} << (8 * lane));
    }
  return lane_count;
}

}  // namespace skein::search
