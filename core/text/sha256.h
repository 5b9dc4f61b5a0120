// SHA-256, small and by hand: what names a blob. A cryptography library would cost a millisecond of
// every start.
#pragma once

#include <string>
#include <string_view>

namespace skein {

std::string sha256_hex(std::string_view bytes);  // 64 lower-case hex digits

}  // namespace skein
