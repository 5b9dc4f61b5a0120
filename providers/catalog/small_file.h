// Small files that are read whole and replaced whole: what was learned and may be learned again.
#pragma once

#include <string>

namespace skein::catalog {

// Empty if it is not there, or larger than `most` bytes.
std::string read_small_file(const std::string& file, std::size_t most);

// All of it or nothing, for the user alone; its folder is made. False: it could not be written.
bool replace_small_file(const std::string& file, const std::string& bytes);

}  // namespace skein::catalog
