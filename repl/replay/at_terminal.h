// How a replay waits and asks at a terminal.
#pragma once

#include <atomic>

#include "repl/replay/player.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::replay {

// All must outlive what is returned. A key shortens a pause; q, Esc and ^C end it all, as `stop`
// does.
Ports ports_at(terminal::Keyboard& keyboard, screen::Screen& screen, const std::atomic<bool>& stop);

}  // namespace skein::replay
