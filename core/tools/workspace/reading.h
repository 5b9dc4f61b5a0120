// Text told from other bytes, and those made readable.
#pragma once

#include <string>
#include <string_view>

namespace skein::tools::workspace {

// A NUL among the first bytes: not text.
bool looks_binary(std::string_view bytes);
// The first bytes as a hex dump, for what is not text.
std::string hex_head(std::string_view bytes);

}  // namespace skein::tools::workspace
