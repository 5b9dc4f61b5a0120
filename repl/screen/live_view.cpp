#include "repl/screen/live_view.h"

#include <algorithm>

#include "repl/layout/sanitize.h"
#include "repl/screen/todo_view.h"
#include "repl/screen/tool_view.h"

namespace skein::screen {

namespace style = layout::style;
using layout::sanitized_row;

namespace {

constexpr std::size_t most_printed = 5;  // lines of a running command

}  // namespace

LiveRegion live_view(const LiveSources& from, const LiveMoment& moment,
                     const layout::TerminalStyle& look) {
  LiveRegion out;
  const std::size_t width = moment.width, height = moment.height;
  if (width <= 1) return out;
  Status status = from.activity.at(moment.now);
  status.todo = todo_part(from.todo);
  status.frame = moment.frame;
  status.stop_key = look.stop_key;
  out.rows.push_back({status_text(status, width - 1), style::dim});
  if (const std::string mark = "  " + thinking_mark(look);
      from.thinking != nullptr && width > mark.size())
    if (const std::string latest = from.thinking->latest(width - mark.size()); !latest.empty())
      out.rows.push_back({mark + latest, style::dim | style::emphasis});
  for (const std::string& row : status.rows)
    out.rows.push_back({"  " + sanitized_row(row), style::dim});
  // Two rows are left to the text, or nothing could be put back in its place.
  const std::size_t taken = from.input.rows.size() + out.rows.size() + 2;
  for (const std::string& line :
       from.activity.printed(std::min(most_printed, height > taken ? height - taken : 0)))
    out.rows.push_back({"  │ " + sanitized_row(line), style::dim});
  if (from.input.caret)
    out.caret = {from.input.caret->row + out.rows.size(), from.input.caret->column};
  out.rows.insert(out.rows.end(), from.input.rows.begin(), from.input.rows.end());
  return out;
}

}  // namespace skein::screen
