// &amp; and its like in HTML.
#pragma once

#include <string>
#include <string_view>

namespace skein::web {

// Unknown ones stay as they are written.
std::string without_entities(std::string_view text);

}  // namespace skein::web
