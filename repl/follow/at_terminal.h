// How a session is followed at a terminal: entries look as they did where they were said; t takes
// over, q, Esc and ^C leave.
#pragma once

#include <atomic>

#include "repl/follow/follow.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::follow {

// All must outlive what is returned. `stop` ends it too.
Ports ports_at(terminal::Keyboard& keyboard, screen::Screen& screen, const std::atomic<bool>& stop);

}  // namespace skein::follow
