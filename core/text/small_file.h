// Small files that are read whole and replaced whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skein {

// All of it. None if it cannot be read or is larger than `most` bytes, and errno says why. (A
// stream's iterators throw when a read fails: at a folder, at the /proc of a process that has just
// ended.)
std::optional<std::string> file_text(const std::string& file, std::size_t most = SIZE_MAX - 1);
// The same where no file is as good as an empty one.
std::string read_small_file(const std::string& file, std::size_t most);

// What was learned may be learned again; what the user has decided must outlast a power cut.
enum class Lasting { no, yes };
// All of it or nothing, for the user alone; its folder is made. False: it could not be written, and
// errno says why.
bool replace_small_file(const std::string& file, std::string_view bytes,
                        Lasting lasting = Lasting::no);

}  // namespace skein
