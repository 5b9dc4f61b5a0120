// A table of Markdown, once all of it is there: drawn with lines where there are styles, lined up
// as Markdown where there are none. Cells that are too long for the terminal go over several rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/layout/style.h"

namespace skein::screen::markdown {

// "|---|:--:|"
bool is_table_ruler(std::string_view line);

// The source lines, the ruler second. `width` 0: as wide as it wants to be. `prefix` stands before
// every row.
std::string drawn_table(const std::vector<std::string>& lines, std::string_view prefix,
                        std::size_t width, const layout::TerminalStyle& look);

}  // namespace skein::screen::markdown
