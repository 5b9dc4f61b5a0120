#include "repl/session/prompt_text.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace skein::session {

namespace {

namespace style = layout::style;

struct ModeWord {
  permission::Mode mode;
  std::string_view word;
  const layout::Style* style;
};
constexpr ModeWord words[] = {{permission::Mode::normal, "", &style::prompt},
                              {permission::Mode::plan, "plan", &style::heading},
                              {permission::Mode::accept_edits, "edits", &style::good},
                              {permission::Mode::bypass, "yolo", &style::bad}};
static_assert(std::ranges::is_sorted(words, {}, &ModeWord::mode));

}  // namespace

std::string prompt_text(permission::Mode mode, const layout::TerminalStyle& look) {
  const ModeWord& row = words[static_cast<std::size_t>(mode)];
  const std::string word(row.word);
  if (look.labels) return word.empty() ? "you: " : "you (" + word + "): ";
  if (word.empty()) return layout::painted("› ", *row.style, look);
  return layout::painted(word + " › ", *row.style | style::strong, look);
}

}  // namespace skein::session
