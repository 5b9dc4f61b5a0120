// What a server says, cut to a length and made UTF-8.
#pragma once

#include <string>

#include "core/text/text.h"

namespace skein::mcp {

inline std::string shortened(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return valid_utf8(text);
  return valid_utf8(utf8_prefix(text, bytes)) + "…";
}

}  // namespace skein::mcp
