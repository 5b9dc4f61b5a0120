#include "repl/prompt/live_input.h"

#include <algorithm>
#include <utility>

#include "repl/layout/sanitize.h"
#include "repl/layout/style.h"
#include "repl/layout/width.h"
#include "repl/terminal/line_layout.h"

namespace skein::prompt {

namespace {

namespace style = layout::style;

constexpr std::string_view mark = "› ";
constexpr int mark_columns = 2;
constexpr std::size_t most_waiting = 3, most_choices = 9;

void add_waiting(screen::LiveRegion& region, const std::vector<std::string>& waiting,
                 std::size_t most) {
  const std::size_t shown = std::min(waiting.size(), most);
  if (waiting.size() > shown)
    region.rows.push_back(
        {"  … " + std::to_string(waiting.size() - shown) + " more wait; /queue shows them",
         style::dim,
         {}});
  for (std::size_t i = waiting.size() - shown; i < waiting.size(); ++i)
    region.rows.push_back({"  " + waiting[i], style::dim, {}});
}

}  // namespace

screen::LiveInput live_input(const InputParts& parts, const terminal::Terminal::Size& size) {
  const int free = std::max(1, size.rows - 3);
  const int columns = std::max(4, size.columns - 1);  // the last column stays free
  screen::LiveInput out{.used = !parts.line.text().empty() || !parts.waiting.empty()};
  screen::LiveRegion& region = out.region;
  if (free > 3)
    add_waiting(region, parts.waiting,
                std::min<std::size_t>(most_waiting, static_cast<std::size_t>(free - 3) / 2 + 1));

  const terminal::LineLayout layout = terminal::around_cursor(
      terminal::lay_out(parts.line.text(), parts.line.cursor(), mark_columns, columns),
      mark_columns, columns, std::max(1, free / 2));
  region.caret = {region.rows.size() + static_cast<std::size_t>(layout.caret.row),
                  static_cast<std::size_t>(layout.caret.column)};
  std::string before(mark);
  for (const std::string& row : terminal::rows_of(layout, mark_columns, columns))
    region.rows.push_back({std::exchange(before, {}) + row, style::plain, {}});
  region.rows.back().aside = layout::sanitized_row(parts.hint);

  if (parts.popup == nullptr) return out;
  const int left = free - static_cast<int>(region.rows.size());
  const std::size_t most = std::min(most_choices, static_cast<std::size_t>(std::max(0, left)));
  for (const Popup::Row& row : parts.popup->rows(static_cast<std::size_t>(columns), most))
    region.rows.push_back({row.text, row.chosen ? style::strong : style::plain, row.aside});
  return out;
}

}  // namespace skein::prompt
