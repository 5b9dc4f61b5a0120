// How the list of things to do looks when it has changed: all of it, or only what is different.
#pragma once

#include <cstddef>
#include <string>

#include "core/plan/todo_list.h"
#include "repl/layout/style.h"

namespace skein::screen {

// Lines with their ends. `before`: the list as it was last shown; if fewer than half of its items
// have changed, only those are shown. `width` 0: unlimited.
std::string todo_view(const plan::TodoList& list, const plan::TodoList& before, std::size_t width,
                      const layout::TerminalStyle& look);

// For the live line: "▸ 3/7 write the parser test"; empty: nothing is left.
std::string todo_part(const plan::TodoList& list);

}  // namespace skein::screen
