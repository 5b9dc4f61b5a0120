// How a tool call looks when it is over: one line, and under it as much of what came of it as
// helps; the rest is folded away until it is asked for.
#pragma once

#include <string>
#include <string_view>

#include "core/model/tool.h"
#include "repl/layout/style.h"

namespace skein::screen {

// What is not shown at once.
struct Folded {
  std::string title{};
  std::string text{};  // all of it; untrusted
  bool diff = false;
  bool operator==(const Folded&) const = default;
};

struct ToolView {
  std::string shown{};
  Folded folded{};  // empty: nothing is hidden
};

// `call` may be unknown (null); `width` 0: lines are as long as they are. `with_diff` false: the
// user has seen it a moment ago, when asked.
struct ToolCallEnd {
  const model::ToolUse* call = nullptr;
  const model::ToolResult& result;
  std::int64_t duration_ms = 0;
  bool with_diff = true;
};
ToolView view_of(const ToolCallEnd& end, const model::Tools* tools, std::size_t width,
                 const layout::TerminalStyle& look);

// One line for a call, in the tool's own words where it is known. Untrusted, but on one line.
std::string title_of(const model::ToolUse& call, const model::Tools* tools);

std::string thinking_mark(const layout::TerminalStyle& look);  // before what a model only thinks
// Thinking, of which only the first line is shown.
ToolView view_of_thinking(std::string_view thinking, std::size_t width,
                          const layout::TerminalStyle& look);

// All of it.
std::string unfolded(const Folded& folded, const layout::TerminalStyle& look);

}  // namespace skein::screen
