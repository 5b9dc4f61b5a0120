// A folder as people write it.
#pragma once

#include <string>

namespace skein::layout {

std::string short_folder(const std::string& folder);  // the home folder is ~

}  // namespace skein::layout
