// Questions at a terminal that are answered with one key, and prompts for a short line.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/event.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

// Shows the question and takes y, s, a, n, w to say no with a reason, or e to edit; Enter and Esc
// mean no, ^C means no and sets `stop`. Where everything fits into a few rows they are removed
// again: the call itself is shown when it is done.
model::Answer ask_permission(terminal::Keyboard& keyboard, screen::Screen& screen,
                             const model::Question& question, std::atomic<bool>& stop);
// What s and a would cover, and the choices. No row is broken inside of a choice if `width` allows
// that; 0: unlimited.
std::vector<std::string> choices_of(const model::Question& question, std::size_t width);
// The one of `letters` that is pressed; none: another key, which means no.
std::optional<char> ask_choice(terminal::Keyboard& keyboard, screen::Screen& screen,
                               const std::string& question, std::string_view letters);
// Only y means yes.
bool ask_yes(terminal::Keyboard& keyboard, screen::Screen& screen, const std::string& question);
// The next key, regardless of signals and pauses; Esc once the terminal is gone or a signal asked
// to stop. `resized` is called when the terminal has another size.
terminal::Key next_key(terminal::Keyboard& keyboard, const std::atomic<bool>* stop,
                       const std::function<void()>& resized = {});

// Nothing if the user left with Esc or ^C, which also sets `stop`, if there is one.
std::optional<std::string> ask_line(terminal::Keyboard& keyboard, const std::string& prompt,
                                    const std::string& text = {},
                                    std::atomic<bool>* stop = nullptr);

}  // namespace skein::pick
