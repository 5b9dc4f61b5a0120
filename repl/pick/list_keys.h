// What keys do in every list that is read rather than typed into.
#pragma once

#include <cstddef>

#include "repl/terminal/keyboard.h"

namespace skein::pick {

// Whether the key leaves the list: Esc, q, Ctrl+C, Ctrl+D, or a / that begins a command, which is
// put back for the prompt.
bool leaves_list(terminal::Keyboard& keyboard, const terminal::Key& key);

// The line that is chosen after the key, of so many; `page`: how many a page key moves by.
std::size_t chosen_after(const terminal::Key& key, std::size_t chosen, std::size_t lines,
                         std::size_t page);

}  // namespace skein::pick
