// Commands that were running when skein was killed: what is said of them at the next start, and
// asked.
#pragma once

#include <string>

namespace skein::app {

// Where commands note how to undo them; empty: there is no place for it.
std::string command_records();

// Reports what supervisors have undone, and shows what is left of commands whose supervisor was
// killed too. `ask`: whether there is a user who can say what becomes of it; else it stays, and is
// shown again at the next start.
void settle_interrupted_commands(bool ask);

}  // namespace skein::app
