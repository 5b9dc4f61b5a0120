// Small files, read and replaced whole. Anyone may have put a file where it is read: reading never
// waits, opens nothing but regular files, and stops at a limit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/fd.h"

namespace skein {

inline constexpr std::size_t most_file_bytes = 16u << 20;  // unless a caller expects less

enum class Links { followed, refused };  // if the file itself is one
// For reading. None if it is not a regular file, and errno says why: a device, which opening alone
// may set in motion, is not opened.
Fd open_regular(const std::string& file, Links links = Links::followed);

// All of it. None if it cannot be read or is larger than `most` bytes, and errno says why.
std::optional<std::string> file_text(const std::string& file, std::size_t most = most_file_bytes,
                                     Links links = Links::followed);
// Its first bytes; empty if it cannot be read.
std::string file_beginning(const std::string& file, std::size_t most = 64u << 10,
                           Links links = Links::followed);
// The same where no file is as good as an empty one.
std::string read_small_file(const std::string& file, std::size_t most);

// What was learned may be learned again; what the user has decided must outlast a power cut.
enum class Lasting { no, yes };
// All of it or nothing, for the user alone; its folder is made. False: it could not be written, and
// errno says why.
bool replace_small_file(const std::string& file, std::string_view bytes,
                        Lasting lasting = Lasting::no);

}  // namespace skein
