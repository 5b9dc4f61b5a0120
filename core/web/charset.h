// What a server sends, as UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace skein::web {

// The value of a parameter in a header: charset in "text/html; charset=latin1", in lower case and
// without quotes; empty: there is none.
std::string parameter(std::string_view header, std::string_view name);

// By what the header says, else by a byte order mark or by what the page says of itself; else it is
// UTF-8 if it can be, and Windows-1252 if not. Bytes that mean nothing become U+FFFD.
std::string decoded(std::string_view bytes, std::string_view content_type);

}  // namespace skein::web
