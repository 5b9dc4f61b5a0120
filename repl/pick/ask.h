// Questions at a terminal that one key answers, and short lines asked for in passing.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "core/model/event.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

// y, a, n with a reason, or e for another text; Enter alone and Esc are no, ^C is no and sets
// `stop`.
model::Answer ask_permission(terminal::Keyboard& keyboard, screen::Screen& screen,
                             const model::Question& question, std::atomic<bool>& stop);
std::string choices_of(const model::Question& question);  // "[y]es  [n]o, and why › "
// y is yes, everything else is no.
bool ask_yes(terminal::Keyboard& keyboard, screen::Screen& screen, const std::string& question);
// Nothing if it was left with Esc or ^C.
std::optional<std::string> ask_line(terminal::Keyboard& keyboard, const std::string& prompt,
                                    const std::string& text = {});

}  // namespace skein::pick
