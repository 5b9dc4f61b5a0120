// Markdown inside a line: emphasis, code, links. Decided as soon as it can be, and never taken
// back: what would open a span but is not closed in time is an ordinary character.
#pragma once

#include <optional>
#include <string_view>

#include "repl/layout/flow.h"

namespace skein::screen::markdown {

struct Span {
  enum class Kind { text, code, emphasis, strong, both, strike, link } kind = Kind::text;
  std::size_t length = 0;      // of the source
  std::string_view inner{};    // what is shown
  std::string_view address{};  // of a link
  bool operator==(const Span&) const = default;
};

// The span at the start of `text`, which is not empty. `before` is the character before it, 0 at
// the start of a line. nullopt: it takes more of the line to tell, and more may come (not `whole`).
std::optional<Span> first_span(std::string_view text, char before, bool whole);

// How far a span reaches at most, in bytes. Nothing waits for longer than that.
inline constexpr std::size_t longest_span = 800;

// A whole text with its spans.
void add_spans(std::string_view text, layout::Style style, const layout::TerminalStyle& look,
               layout::Flow& flow);
void add_span(const Span& span, layout::Style style, const layout::TerminalStyle& look,
              layout::Flow& flow);

}  // namespace skein::screen::markdown
