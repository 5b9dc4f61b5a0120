// Insights for a terminal: a few lines, a sparkline, tables with bars.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/insights/tally.h"
#include "repl/layout/table.h"

namespace skein::commands {

// As wide as the terminal is (0: as it wants), safe for it.
struct TextForm {
  insights::By by = insights::By::overview;
  std::size_t width = 0;
  layout::TerminalStyle look{};
  std::int64_t now_ms = 0;
};
std::string as_text(const insights::Insights& found, const TextForm& form);

// One character for each value, as tall as it is; the largest is full.
std::string sparkline(const std::vector<double>& values);
// A bar of at most `width` columns.
std::string share_of(double share, std::size_t width);
// Tables with what was counted by that, or of tools.
layout::Table groups_table(const insights::Insights& found, insights::By by, bool bars);
layout::Table tools_table(const insights::Insights& found, bool bars);

}  // namespace skein::commands
