// The keys, for `?`: in short and side by side where there is room, so that one screen shows all.
#pragma once

#include <string>

#include "repl/layout/style.h"
#include "repl/terminal/key_map.h"

namespace skein::terminal {

// `width` 0: unlimited.
std::string key_help(const KeyMap& keys, std::size_t width, const layout::TerminalStyle& look);

}  // namespace skein::terminal
