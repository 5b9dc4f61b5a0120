// The style and the script of an exported page: the files in page/, made into constants when skein
// is built.
#pragma once

#include <string_view>

namespace skein::exchange::exporters {

extern const std::string_view page_style;
extern const std::string_view page_script;

}  // namespace skein::exchange::exporters
