// CRC-32C (Castagnoli), with the processor's instruction where it has one.
#pragma once

#include <cstdint>
#include <string_view>

namespace skein {

// The checksum of a text that begins with whatever `crc` is the checksum of and goes on with
// `bytes`; 0 is the checksum of nothing.
std::uint32_t crc32c(std::uint32_t crc, std::string_view bytes);

// The same without the processor's help; for other processors and to test against.
std::uint32_t crc32c_portable(std::uint32_t crc, std::string_view bytes);

}  // namespace skein
