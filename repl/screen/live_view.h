// The rows that stand below the text while a turn runs, put together from those who know them.
#pragma once

#include <cstdint>

#include "core/plan/todo_list.h"
#include "repl/screen/activity.h"
#include "repl/screen/live_region.h"
#include "repl/screen/thinking.h"

namespace skein::screen {

struct LiveSources {
  const Activity& activity;
  const plan::TodoList& todo;
  const ThinkingStream* thinking = nullptr;  // null: it is shown above, or not at all
  const LiveRegion& input;                   // what the user has typed meanwhile
};

struct LiveMoment {
  std::int64_t now = 0;  // ms
  unsigned frame = 0;    // of the wheel
  std::size_t width = 0, height = 0;
};

LiveRegion live_view(const LiveSources& from, const LiveMoment& moment,
                     const layout::TerminalStyle& look);

}  // namespace skein::screen
