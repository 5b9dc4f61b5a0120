// SHA-256, which names a blob, and CRC-32C, which seals a line. SHA-256 is small and by hand: a
// cryptography library would cost a millisecond of every start. CRC-32C uses the processor's
// instruction where it has one.
#pragma once

#include "core/text/std.h"

namespace skein {

std::string sha256_hex(std::string_view bytes);  // 64 lower-case hex digits

// The checksum of a text that begins with whatever `crc` is the checksum of and continues with
// `bytes`; 0 is the checksum of nothing.
std::uint32_t crc32c(std::uint32_t crc, std::string_view bytes);

// The same without the processor's help; for other processors and to test against.
std::uint32_t crc32c_portable(std::uint32_t crc, std::string_view bytes);

}  // namespace skein
