// A line of Markdown: what contains it (quotes, lists) and what kind of line it is, from as little
// of its start as possible; and the spans inside it: emphasis, code, links.
#pragma once

#include "core/text/std.h"

#include "repl/layout/flow.h"
#include "repl/layout/style.h"

namespace skein::screen::markdown {

namespace style = layout::style;
using layout::Flow, layout::Style, layout::TerminalStyle;

struct MarkdownLine {
  enum class Kind { blank, prose, heading, rule, fence, row, code } kind = Kind::prose;
  std::size_t content = 0;        // where it begins, after all marks
  std::size_t quotes = 0;         // how deep it is quoted
  std::size_t margin = 0;         // columns before the content, within the quotes
  bool item = false;              // it begins an item of a list
  std::string first{}, others{};  // what to show before its first row, and before others
  std::size_t level = 0;          // of a heading; how long a fence is
  char mark = 0;                  // of a fence
};

// nullopt: more of the line is needed. `whole`: there is no more. Once classified, nothing that
// follows can change it. `in_list`: an indent belongs to an item and does not make code.
std::optional<MarkdownLine> read_markdown_line(std::string_view text, bool whole, bool in_list,
                                               const TerminalStyle& look);

// Whether marks become styles, or are left out for a screen reader; else the source is shown.
inline bool is_rendered(const TerminalStyle& look) { return look.colour || look.labels; }

std::string quote_bar(const TerminalStyle& look);

// `text` without its quote marks, at most `quotes` of them; how many there were.
std::size_t strip_quotes(std::string_view& text, std::size_t quotes);

// Whether this whole line closes a code block opened by such a fence.
bool closes(std::string_view line, const MarkdownLine& fence);

// The code blocks of a Markdown text, without fences and the quotes or lists around them.
std::vector<std::string> code_blocks(std::string_view text);

// Decided early and never revised: a mark that is not closed in time is an ordinary character.
struct Span {
  enum class Kind { text, code, emphasis, strong, both, strike, link } kind = Kind::text;
  std::size_t length = 0;      // of the source
  std::string_view inner{};    // what is shown
  std::string_view address{};  // of a link
};

// The span at the start of `text`, which is not empty. `before` is the character before it, 0 at
// the start of a line. nullopt: more of the line is needed and may come (not `whole`).
std::optional<Span> first_span(std::string_view text, char before, bool whole);

// The longest span in bytes, and so the most that is ever held back.
inline constexpr std::size_t longest_span = 800;

// A whole text with its spans, or as it is where marks are shown.
void add_spans(std::string_view text, Style style, const TerminalStyle& look, Flow& flow);
void add_span(const Span& span, Style style, const TerminalStyle& look, Flow& flow);

// What the spans of a text show, without their marks and addresses.
std::string without_marks(std::string_view text);

}  // namespace skein::screen::markdown
