// How the parts of a turn look: a finished tool call, a prompt, the list of to-dos, the summary.
#pragma once

#include "core/model/entry.h"
#include "core/model/message.h"
#include "core/model/tool.h"
#include "core/plan/todo_list.h"
#include "repl/layout/style.h"

namespace skein::screen {

using layout::TerminalStyle;

// What is folded away.
struct FoldedOutput {
  std::string title{};
  std::string text{};  // all of it; untrusted
  bool prose = false;  // lines break between words
  bool drawn = false;  // the text is as it was shown, and safe
  bool operator==(const FoldedOutput&) const = default;
};

struct ToolView {
  std::string shown{};
  FoldedOutput folded{};  // empty: nothing is hidden
};

// A finished call: one line, followed by the useful part of its result; the rest is folded until
// the user asks for it. `call` may be unknown (null); `width` 0: unlimited. `with_diff` is false if
// the user has just seen the diff in a question.
struct ToolCallEnd {
  const model::ToolUse* call = nullptr;
  const model::ToolResult& result;
  const JsonText& meta;  // of the entry that keeps it
  std::int64_t duration_ms = 0;
  bool with_diff = true;
};
ToolView view_of(const ToolCallEnd& end, const model::Tools* tools, std::size_t width,
                 const TerminalStyle& look);

// One line for a call, in the tool's own words where it is known. Untrusted, but on one line.
std::string title_of(const model::ToolUse& call, const model::Tools* tools);

std::string thinking_mark(const TerminalStyle& look);  // precedes thinking
FoldedOutput folded_thinking(std::string_view thinking);
// Thinking, folded to its first line.
ToolView view_of_thinking(std::string_view thinking, std::size_t width, const TerminalStyle& look);

// All of it; `width` 0: unlimited.
std::string unfolded(const FoldedOutput& folded, std::size_t width, const TerminalStyle& look);

// How a prompt looks where it is not on the screen already: sent in the middle of a turn, or
// replayed. A command of the user's own shows as it was typed; the text it becomes is folded.
ToolView view_of_prompt(const model::Entry& entry, const model::Message& message,
                        const TerminalStyle& look);

// How the list of things to do looks when it has changed: all of it, or only what is different.
// Lines with their ends. `before`: the list as it was last shown; if fewer than half of its items
// have changed, only those are shown. `width` 0: unlimited.
std::string todo_view(const plan::TodoList& list, const plan::TodoList& before, std::size_t width,
                      const layout::TerminalStyle& look);

// For the live line: "▸ 3/7 write the parser test"; empty: nothing is left.
std::string todo_part(const plan::TodoList& list);

// A turn in one dim line: model, tokens, cost, seconds; how full the context is, if that is not in
// the status line or it is nearly full.
struct TurnSummary {
  std::string provider{}, model{};
  model::Usage usage{};              // of all model calls
  model::Usage last{};               // of the last one: what the context holds now
  std::vector<model::Usage> each{};  // of each: a price may depend on how long a call was
  std::int64_t duration_ms = 0;
  std::int64_t first_token_ms = 0;  // of the first call; 0: not known
  // Of the calls that tell both: what came in the stream, and how long that took.
  std::int64_t streamed_tokens = 0, streamed_ms = 0;
  bool retried = false;  // that time is partly of calls that failed
  int calls = 0;
  bool live = false;  // it has just ended: what its sub-agents cost can be known
  // What only a catalog of models knows.
  std::optional<double> cost_usd{};
  bool at_least = false;           // it cost more, or a price is not known
  std::int64_t window = 0;         // tokens; 0: not known
  bool context_in_status = false;  // the status line shows how full the context is
};

// Adds an answer of the model or the result of a tool.
void add(TurnSummary& summary, const model::Message& message);

// "opus · 6.2k in (4.9k cached) 410 out · $0.011 · context 4% · 14 s · 42 tok/s · first 0.8 s"
std::string summary_text(const TurnSummary& summary);

}  // namespace skein::screen
