#include "repl/pick/session_rows.h"

#include <algorithm>

#include "core/text/amounts.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::pick {

std::string age(std::string_view timestamp) {
  const auto then = ms_from_utc(timestamp);
  if (!then) return "-";
  const std::int64_t seconds = std::max<std::int64_t>(0, (now_ms() - *then) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return std::to_string(seconds / 60) + " min";
  if (seconds < 86'400) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / 86'400) + " days";
}

namespace {

using Cells = std::vector<std::string>;

std::string_view last_used(const store::SessionRecord& record) {
  return record.state.updated_at.empty() ? record.header.created_at : record.state.updated_at;
}

std::int64_t tokens_of(const model::SessionState& state) {
  const model::Usage usage = model::total_usage(state);
  return usage.input + usage.output;
}

Cells facts_of(const store::SessionRecord& record) {
  const model::SessionState& state = record.state;
  const std::int64_t tokens = tokens_of(state);
  return {age(last_used(record)), counted(static_cast<std::size_t>(state.messages), "turn"),
          state.leaves.size() > 1 ? std::to_string(state.leaves.size()) + " branches" : "",
          tokens > 0 ? short_count(tokens) + " tokens" : ""};
}

// Cells in columns; an empty column is left out, and the last one is not padded.
std::vector<std::string> aligned(const std::vector<Cells>& table) {
  std::vector<std::size_t> widths;
  for (const Cells& cells : table) {
    widths.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], layout::display_width(cells[i]));
  }
  std::vector<std::string> out;
  for (const Cells& cells : table) {
    std::string line;
    for (std::size_t i = 0; i + 1 < cells.size(); ++i)
      if (widths[i] > 0) line += layout::padded(cells[i], widths[i]) + "  ";
    out.push_back(line + cells.back());
  }
  return out;
}

}  // namespace

layout::Table session_table(const std::vector<store::SessionRecord>& sessions, Id current) {
  layout::Table table{.columns = {{"key"},
                                  {"title"},
                                  {"age", true},
                                  {"turns", true, true},
                                  {"branches", true, true},
                                  {"tokens", true, true}}};
  for (const store::SessionRecord& record : sessions) {
    if (record.header.session == current) table.marked = table.rows.size();
    const model::SessionState& state = record.state;
    const std::int64_t tokens = tokens_of(state);
    table.rows.push_back({record.key, state.title, age(last_used(record)),
                          std::to_string(state.messages), std::to_string(state.leaves.size()),
                          tokens > 0 ? short_count(tokens) : ""});
  }
  return table;
}

std::vector<std::string> session_rows(const std::vector<store::SessionRecord>& sessions,
                                      std::size_t title_columns) {
  std::vector<Cells> table;
  for (const store::SessionRecord& record : sessions) {
    Cells cells = facts_of(record);
    const std::string title = layout::sanitized(record.state.title);
    cells.insert(cells.begin(), layout::fit(title.empty() ? "(untitled)" : title, title_columns));
    cells.push_back(record.key);
    table.push_back(std::move(cells));
  }
  return aligned(table);
}

}  // namespace skein::pick
