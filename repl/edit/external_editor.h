// A text edited in the user's own editor: $VISUAL, else $EDITOR, else vi.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/terminal/terminal.h"

namespace skein::edit {

// The text as it was left there; nothing if the editor could not be run or ended with an error. A
// newline at its end that was not there before is the editor's, and goes. `like`: the name of a
// file with such a text, by whose ending the editor may know what it is.
std::optional<std::string> edited_elsewhere(const std::string& text, terminal::Terminal& terminal,
                                            const std::string& like = "prompt.md");

// Runs a program of the user's at the terminal, in the modes it was found in, and waits for it.
// With `output` what it prints comes here instead of going to the screen. Its exit status as a
// shell tells it.
int run_at_terminal(const std::vector<std::string>& words, terminal::Terminal* terminal,
                    const std::function<void(std::string_view)>& output = {},
                    const std::string& folder = {});

}  // namespace skein::edit
