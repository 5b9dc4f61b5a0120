// What kind of image some bytes are, by how they begin.
#pragma once

#include <cstddef>
#include <string_view>

namespace skein {

// image/png and the like; empty: none that models take.
std::string_view image_type(std::string_view bytes);

inline constexpr std::size_t most_image_bytes = 5 * 1024 * 1024;  // what providers accept

}  // namespace skein
