// The clipboard of the machine the user sits at.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace skein::terminal {

// How a terminal is asked to put the text on its clipboard (OSC 52). A tmux in between takes it
// itself or is told to pass it on, whichever it has been set up for.
std::string clipboard_request(std::string_view text, bool in_tmux);

// Puts the text there: with a program of this desktop if there is one, since that says whether it
// worked; else by asking the terminal, which is all that reaches through ssh. `tell_terminal` is
// false if there is none. Returns what was done, "copied 312 bytes with wl-copy"; throws Error if
// there is no way.
std::string copy_text(std::string_view text,
                      const std::function<bool(std::string_view request)>& tell_terminal);

}  // namespace skein::terminal
