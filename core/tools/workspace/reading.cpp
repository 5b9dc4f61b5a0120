#include "core/tools/workspace/reading.h"

#include <algorithm>

namespace skein::tools::workspace {

bool looks_binary(std::string_view bytes) {
  return bytes.substr(0, 8192).find('\0') != std::string_view::npos;
}

std::string hex_head(std::string_view bytes) {
  const auto hex = [](std::size_t value, int digits) {
    std::string text;
    while (digits-- > 0) text += "0123456789abcdef"[value >> (4 * digits) & 15];
    return text;
  };
  std::string dump;
  bytes = bytes.substr(0, 256);
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    dump += hex(at, 4) + " ";
    std::string shown;
    for (const char c : bytes.substr(at, 16)) {
      dump += " " + hex(static_cast<unsigned char>(c), 2);
      shown += c >= ' ' && c <= '~' ? c : '.';
    }
    dump += "  " + shown + "\n";
  }
  return dump;
}

}  // namespace skein::tools::workspace
