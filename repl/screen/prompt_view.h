// How a prompt looks where it is not on the screen already: told in the middle of a turn, or
// replayed.
#pragma once

#include "core/model/entry.h"
#include "core/model/message.h"
#include "repl/screen/tool_view.h"

namespace skein::screen {

// A command of the user's own shows as it was typed; the text it stands for is folded.
ToolView view_of_prompt(const model::Entry& entry, const model::Message& message,
                        const TerminalStyle& look);

}  // namespace skein::screen
