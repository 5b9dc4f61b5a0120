// Columns aligned by their width on a terminal, sharing the available room.
#pragma once

#include "core/text/std.h"

#include "repl/layout/style.h"

namespace skein::layout {

// The share of `room` for each column: all it wants if that fits, else the widest shrink first,
// none below `least` (so the sum may exceed a very small room). 0: unlimited room.
std::vector<std::size_t> share_out(std::vector<std::size_t> wanted, std::size_t room,
                                   std::size_t least = 3);

// A list for people: one row per line, a heading over each column, two spaces between columns. When
// room is scarce, optional columns are dropped, the last first; what still does not fit is cut with
// a "…". Cells may hold untrusted text; they are sanitized here.
struct Table {
  struct Column {
    std::string_view title;
    bool right = false;         // numbers
    bool optional = false;      // dropped when room is scarce
    bool keep_end = false;      // what is too long is cut at its start: keys, folders
    std::size_t readable = 16;  // so many columns of it are worth dropping others for
    bool greedy = false;        // gets what others leave once they are readable; at most one is
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows{};
  std::size_t marked = static_cast<std::size_t>(-1);  // the current row
};
std::string drawn(const Table& table, std::size_t width, const TerminalStyle& look);

}  // namespace skein::layout
