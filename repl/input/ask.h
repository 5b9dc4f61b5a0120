// Questions at a terminal that one key answers, and short lines asked for in passing.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "core/event.h"
#include "repl/input/keyboard.h"
#include "repl/screen/screen.h"

namespace skein {

// y, a, n with a reason, or e for another text; Enter alone and Esc are no, ^C is no and sets
// `stop`.
Answer ask_permission(Keyboard& keyboard, Screen& screen, const Question& question,
                      std::atomic<bool>& stop);
std::string choices_of(const Question& question);  // "[y]es  [n]o, and why › "
// y is yes, everything else is no.
bool ask_yes(Keyboard& keyboard, Screen& screen, const std::string& question);
// Nothing if it was left with Esc or ^C.
std::optional<std::string> ask_line(Keyboard& keyboard, const std::string& prompt,
                                    const std::string& text = {});

}  // namespace skein
