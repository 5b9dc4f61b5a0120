// A key, or two one after the other, as people write them: "alt+enter", "ctrl+x ctrl+e".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/terminal/keys.h"

namespace skein::terminal {

using Chord = std::vector<Key>;

// Throws Error that says what is wrong, and what was probably meant.
Chord parse_chord(std::string_view text);
// As parse_chord reads it; of a key that has no name, nothing.
std::string written(const Key& key);
std::string written(const Chord& chord);
// The same for people: "Ctrl+X Ctrl+E".
std::string shown(const Chord& chord);
// Whether it could be given to an action; empty, or why not.
std::string trouble_with(const Chord& chord);
// Most terminals send the same for it as for another key, unless they are asked not to.
bool needs_extended_keys(const Key& key);
// What it is taken for where the terminal cannot tell: enter for ctrl+enter.
Key plain_form(const Key& key);

}  // namespace skein::terminal
