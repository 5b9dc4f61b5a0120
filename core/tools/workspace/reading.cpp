#include "core/tools/workspace/reading.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

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

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool read_pieces(int fd, std::size_t limit, const std::function<bool(std::string_view)>& piece) {
  std::vector<char> buffer(64 * 1024);
  while (limit > 0) {
    const ssize_t got = read(fd, buffer.data(), std::min(buffer.size(), limit));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0 || !piece({buffer.data(), static_cast<std::size_t>(got)})) break;
    limit -= static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<std::string> read_all(int fd, std::size_t limit) {
  std::string bytes;
  const bool read = read_pieces(fd, limit + 1, [&](std::string_view piece) {
    bytes += piece;
    return true;
  });
  if (!read || bytes.size() > limit) return std::nullopt;
  return bytes;
}

}  // namespace skein::tools::workspace
