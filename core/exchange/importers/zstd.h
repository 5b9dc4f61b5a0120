// What was compressed with Zstandard, in a file or in a row of a database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/text/fd.h"

namespace skein::exchange::importers {

bool is_zstd(std::string_view beginning);  // by its first four bytes

// nullopt: it is damaged, or becomes longer than `most_bytes`. Throws Error if there is no module
// that can tell.
std::optional<std::string> unzstd(std::string_view packed, std::size_t most_bytes);

// An open file without a name that has the content of `packed` unpacked; or why there is none, to
// be put behind the file's name.
std::variant<Fd, std::string> unzstd_file(int packed,
                                          std::uint64_t most_bytes = std::uint64_t{8} << 30);

}  // namespace skein::exchange::importers
