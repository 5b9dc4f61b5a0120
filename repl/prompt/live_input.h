// The user's own rows below a running turn: the lines that wait, the line being typed with its
// cursor, and the list of what could complete it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/edit/line_edit.h"
#include "repl/prompt/popup.h"
#include "repl/screen/live_region.h"
#include "repl/terminal/terminal.h"

namespace skein::prompt {

struct InputParts {
  std::vector<std::string> waiting{};  // see WaitingLines::described
  const edit::LineEdit& line;
  std::string_view hint{};  // shown dim behind the line
  const Popup* popup = nullptr;
};

// Room is left for the live line and two rows of text above.
screen::LiveInput live_input(const InputParts& parts, const terminal::Terminal::Size& size);

}  // namespace skein::prompt
