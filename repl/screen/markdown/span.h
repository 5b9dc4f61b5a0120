// Markdown inside a line: emphasis, code, links. Decided as early as possible and never revised: a
// mark that is not closed in time is an ordinary character.
#pragma once

#include <optional>
#include <string_view>

#include "repl/layout/flow.h"

namespace skein::screen::markdown {

namespace style = layout::style;
using layout::Flow, layout::Style, layout::TerminalStyle;

struct Span {
  enum class Kind { text, code, emphasis, strong, both, strike, link } kind = Kind::text;
  std::size_t length = 0;      // of the source
  std::string_view inner{};    // what is shown
  std::string_view address{};  // of a link
  bool operator==(const Span&) const = default;
};

// The span at the start of `text`, which is not empty. `before` is the character before it, 0 at
// the start of a line. nullopt: more of the line is needed and may come (not `whole`).
std::optional<Span> first_span(std::string_view text, char before, bool whole);

// The longest span in bytes, and so the most that is ever held back.
inline constexpr std::size_t longest_span = 800;

// A whole text with its spans.
void add_spans(std::string_view text, Style style, const TerminalStyle& look, Flow& flow);
void add_span(const Span& span, Style style, const TerminalStyle& look, Flow& flow);

}  // namespace skein::screen::markdown
