// The first lines of a session in which nothing has been said.
#pragma once

#include "app/application.h"
#include "repl/screen/screen.h"

namespace skein::app {

// Its first line: what this is, and where it works. Both texts are safe for a terminal.
std::string title(const std::string& workspace, const screen::Screen& screen);
// All of them: the title unless it is shown already (`titled`), which instructions there are,
// whether a key is missing, and a tip.
std::string greeting(const Application& application, const Invocation& invocation,
                     const screen::Screen& screen, bool titled);

}  // namespace skein::app
