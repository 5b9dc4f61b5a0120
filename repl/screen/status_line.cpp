#include "repl/screen/status_line.h"

#include <algorithm>

#include "core/text/amounts.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::screen {

namespace {

constexpr std::string_view wheel[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::string_view how_to_stop = "Esc or Ctrl+C stops";

}  // namespace

std::string status_text(const Status& status, std::size_t width) {
  const std::string draft = layout::sanitized_row(status.draft);
  const std::size_t for_draft = draft.empty() ? 0
                                              : std::min(layout::display_width(draft) + 3,
                                                         std::max<std::size_t>(4, width / 2));
  const std::size_t room = width > for_draft ? width - for_draft : 0;

  const std::string elapsed = std::to_string(status.elapsed_ms / 1000) + " s";
  const std::size_t around = 2 + 2 + elapsed.size();  // the wheel, the gap
  std::string text =
      std::string(wheel[status.frame % std::size(wheel)]) + " " +
      layout::fit(layout::sanitized_row(status.activity), room > around ? room - around : 0) +
      "  " + elapsed;
  const auto add = [&](const std::string& part) {
    if (!part.empty() && layout::display_width(text) + 3 + layout::display_width(part) <= room)
      text += " · " + part;
  };
  add(std::string(how_to_stop));
  if (status.tokens > 0)
    add((status.estimated ? "~" : "") + short_count(status.tokens) + " tokens");
  if (const std::string detail = layout::sanitized_row(status.detail); !detail.empty()) {
    const std::size_t used = layout::display_width(text) + 3;
    if (used + 8 <= room) add(layout::fit(detail, room - used));
  }
  text = layout::fit(text, room);
  if (for_draft > 0) text += " › " + layout::fit_end(draft, for_draft > 3 ? for_draft - 3 : 0);
  return layout::fit(text, width);
}

}  // namespace skein::screen
