// Where a path leads: the one form in which places are compared, hidden and protected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein::tools::workspace {

inline constexpr int max_links = 40;  // as the kernel

// Absolute, every link on the way followed (dangling ones too), no "." or ".."; what is not there
// yet is kept as it is written. Looks at the file system now: ask again when it may have changed.
// `links` receives the places of the links.
std::string real_place(std::string_view path, std::vector<std::string>* links = nullptr);

// Whether `path` is `folder` or lies in it; only words, so both are real places.
bool is_below(std::string_view path, std::string_view folder);

}  // namespace skein::tools::workspace
