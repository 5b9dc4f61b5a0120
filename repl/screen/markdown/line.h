// Classifies a line of Markdown from as little of its start as possible: what contains it (quotes,
// lists) and what kind of line it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "repl/layout/style.h"

namespace skein::screen::markdown {

using layout::TerminalStyle;

struct MarkdownLine {
  enum class Kind { blank, prose, heading, rule, fence, row, code } kind = Kind::prose;
  std::size_t content = 0;        // where it begins, after all marks
  std::size_t quotes = 0;         // how deep it is quoted
  std::size_t margin = 0;         // columns before the content, within the quotes
  bool item = false;              // it begins an item of a list
  std::string first{}, others{};  // what to show before its first row, and before others
  std::size_t level = 0;          // of a heading; how long a fence is
  char mark = 0;                  // of a fence
  bool operator==(const MarkdownLine&) const = default;
};

// nullopt: more of the line is needed. `whole`: there is no more. Once classified, nothing that
// follows can change it. `in_list`: an indent belongs to an item and does not make code.
std::optional<MarkdownLine> read_markdown_line(std::string_view text, bool whole, bool in_list,
                                               const TerminalStyle& look);

// Whether the marks are turned into styles, or left out for a screen reader; else the source is
// shown.
inline bool is_rendered(const TerminalStyle& look) { return look.colour || look.labels; }

std::string quote_bar(const TerminalStyle& look);

// `text` without its quote marks, at most `quotes` of them; how many there were.
std::size_t strip_quotes(std::string_view& text, std::size_t quotes);

// Whether this whole line closes a code block opened by such a fence.
bool closes(std::string_view line, const MarkdownLine& fence);

}  // namespace skein::screen::markdown
