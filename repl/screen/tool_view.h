// How a finished tool call looks: one line, followed by the useful part of its result; the rest is
// folded until the user asks for it.
#pragma once

#include <string>
#include <string_view>

#include "core/model/tool.h"
#include "repl/layout/style.h"

namespace skein::screen {

using layout::TerminalStyle;

// What is folded away.
struct Folded {
  std::string title{};
  std::string text{};  // all of it; untrusted
  bool diff = false;
  bool prose = false;  // lines break between words
  bool drawn = false;  // the text is as it was shown, and safe
  bool operator==(const Folded&) const = default;
};

struct ToolView {
  std::string shown{};
  Folded folded{};  // empty: nothing is hidden
};

// `call` may be unknown (null); `width` 0: unlimited. `with_diff` is false if the user has just
// seen the diff in a question.
struct ToolCallEnd {
  const model::ToolUse* call = nullptr;
  const model::ToolResult& result;
  std::int64_t duration_ms = 0;
  bool with_diff = true;
};
ToolView view_of(const ToolCallEnd& end, const model::Tools* tools, std::size_t width,
                 const TerminalStyle& look);

// One line for a call, in the tool's own words where it is known. Untrusted, but on one line.
std::string title_of(const model::ToolUse& call, const model::Tools* tools);

std::string thinking_mark(const TerminalStyle& look);  // precedes thinking
Folded folded_thinking(std::string_view thinking);
// Thinking, folded to its first line.
ToolView view_of_thinking(std::string_view thinking, std::size_t width, const TerminalStyle& look);

// All of it; `width` 0: unlimited.
std::string unfolded(const Folded& folded, std::size_t width, const TerminalStyle& look);

}  // namespace skein::screen
