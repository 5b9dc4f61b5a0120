// Where a text that is not in a file was probably meant: what an edit that failed tells the model.
#pragma once

#include <string>
#include <string_view>

namespace skein::tools {

// A sentence and the lines it speaks of; empty if nothing in `text` is like `wanted`. Pure, and
// bounded for texts of any size.
std::string nearest_lines(std::string_view text, std::string_view wanted);

}  // namespace skein::tools
