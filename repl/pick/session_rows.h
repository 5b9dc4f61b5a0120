// Sessions as a table, and as lines to pick from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/store/backend.h"
#include "repl/layout/table.h"

namespace skein::pick {

std::string age(std::string_view timestamp);  // "now", "3 min", "2 days"

// Key, title, age, turns, branches, tokens; `current` is marked.
layout::Table session_table(const std::vector<store::SessionRecord>& sessions, Id current);
// Title (in this many columns), age, turns, branches, tokens and key, for a list to pick from.
std::vector<std::string> session_rows(const std::vector<store::SessionRecord>& sessions,
                                      std::size_t title_columns);

}  // namespace skein::pick
