// A text edited in the user's own editor: $VISUAL, else $EDITOR, else vi.
#pragma once

#include "core/text/std.h"

#include "repl/terminal/terminal.h"

namespace skein::edit {

// Returns the edited text without a final newline that the editor added; nothing: the editor could
// not be run or failed. `like`: a file name whose suffix tells the editor the language.
std::optional<std::string> edited_elsewhere(const std::string& text, terminal::Terminal& terminal,
                                            const std::string& like = "prompt.md");

// The file itself; false: the editor could not be run or failed.
bool edit_in_place(const std::string& file, terminal::Terminal* terminal);

// Runs a program of the user's at the terminal, in its original modes, and waits for it. `output`
// gets what it prints, instead of the screen. Returns its exit status as a shell reports it.
int run_at_terminal(const std::vector<std::string>& words, terminal::Terminal* terminal,
                    const std::function<void(std::string_view)>& output = {},
                    const std::string& folder = {});

}  // namespace skein::edit
