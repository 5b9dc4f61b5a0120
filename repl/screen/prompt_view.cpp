#include "repl/screen/prompt_view.h"

#include <algorithm>

#include "core/model/attachments.h"
#include "core/model/turns.h"
#include "core/text/amounts.h"
#include "repl/layout/sanitize.h"

namespace skein::screen {

namespace style = layout::style;
using layout::painted, layout::sanitized;

ToolView view_of_prompt(const model::Entry& entry, const model::Message& message,
                        const TerminalStyle& look) {
  ToolView out;
  const std::string mark = look.labels ? "you: " : "› ";
  const std::string words = model::words_alone(message);
  const std::string typed = model::typed_command(entry);
  std::string text = sanitized(typed.empty() ? words : typed);
  if (!typed.empty()) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(words, '\n')) + 1;
    text += painted(" (" + counted(lines, "line") + ")", style::dim, look);
    out.folded = {.title = typed, .text = words, .prose = true};
  }
  for (const std::string& file : model::attached_names(message)) text += "\n+ " + sanitized(file);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3)
    text.replace(at, 1, "\n  ");
  out.shown = painted(mark, style::prompt, look) + painted(text, style::own, look);
  return out;
}

}  // namespace skein::screen
