// A text edited in the user's own editor: $VISUAL, else $EDITOR, else vi.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/terminal/terminal.h"

namespace skein::edit {

// Returns the edited text, or nothing if the editor could not be run or failed. A final newline
// that the editor added is removed. `like`: the name of a file of the same kind, whose suffix tells
// the editor the language.
std::optional<std::string> edited_elsewhere(const std::string& text, terminal::Terminal& terminal,
                                            const std::string& like = "prompt.md");

// The file itself; false: the editor could not be run or failed.
bool edit_in_place(const std::string& file, terminal::Terminal* terminal);

// Runs one of the user's programs at the terminal, in its original modes, and waits for it. With
// `output`, what it prints is passed there instead of to the screen. Returns its exit status as a
// shell would report it.
int run_at_terminal(const std::vector<std::string>& words, terminal::Terminal* terminal,
                    const std::function<void(std::string_view)>& output = {},
                    const std::string& folder = {});

}  // namespace skein::edit
