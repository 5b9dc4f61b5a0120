// Small files that are read whole and replaced whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skein {

// Empty if it is not there, or larger than `most` bytes.
std::string read_small_file(const std::string& file, std::size_t most);

// What was learned may be learned again; what the user has decided must outlast a power cut.
enum class Lasting { no, yes };
// All of it or nothing, for the user alone; its folder is made. False: it could not be written, and
// errno says why.
bool replace_small_file(const std::string& file, std::string_view bytes,
                        Lasting lasting = Lasting::no);

}  // namespace skein
