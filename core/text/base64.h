// Base64, as services and transcripts carry bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skein {

std::string base64(std::string_view bytes);
// Either alphabet, with or without padding and line ends; nullopt: something else is in it.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace skein
