// Columns that line up, by what the text takes on a terminal, and that share what room there is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/layout/style.h"

namespace skein::layout {

// What each column gets of `room`: all it wants if that fits, else the widest give way first, none
// below `least` (so the sum may exceed a very small room). 0: there is room for all.
std::vector<std::size_t> share_out(std::vector<std::size_t> wanted, std::size_t room,
                                   std::size_t least = 3);

// A list for people: one row a line, a heading over each column, two spaces between them. Where
// room is scarce, columns one can do without go, the last first; what still does not fit is cut
// with a "…". The cells come from anywhere; they are made harmless here.
struct Table {
  struct Column {
    std::string_view title;
    bool right = false;     // numbers
    bool optional = false;  // one can do without
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows{};
  std::size_t marked = static_cast<std::size_t>(-1);  // the row that is current
};
std::string drawn(const Table& table, std::size_t width, const TerminalStyle& look);

}  // namespace skein::layout
