// Reading files for a model: whole or in pieces, as lines, and telling text from other bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skein::tools::workspace {

// A NUL among the first bytes: not text.
bool looks_binary(std::string_view bytes);
// The first bytes as a hex dump, for what is not text.
std::string hex_head(std::string_view bytes);

// Lines without their line ends. A file that ends in a newline has no empty last line.
std::vector<std::string_view> split_lines(std::string_view text);

// At most `limit` bytes from `fd`, in pieces, until `piece` returns false. False if reading failed.
bool read_pieces(int fd, std::size_t limit, const std::function<bool(std::string_view)>& piece);
std::optional<std::string> read_all(int fd, std::size_t limit);  // nullopt: failed or longer

}  // namespace skein::tools::workspace
