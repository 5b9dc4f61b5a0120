// A complete Markdown table: drawn with lines if there are styles, else aligned as Markdown. Cells
// that are too long for the terminal are wrapped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/layout/style.h"

namespace skein::screen::markdown {

using layout::TerminalStyle;

// "|---|:--:|"
bool is_table_ruler(std::string_view line);

// `lines` are the source lines, the ruler second. `width` 0: unlimited. `prefix` precedes every
// row.
std::string drawn_table(const std::vector<std::string>& lines, std::string_view prefix,
                        std::size_t width, const TerminalStyle& look);

}  // namespace skein::screen::markdown
