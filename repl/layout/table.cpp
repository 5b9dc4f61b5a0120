#include "repl/layout/table.h"

#include "core/text/std.h"

#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::layout {

namespace {

constexpr std::string_view gap = "  ";

std::string cell(const std::string& text, std::size_t width, const Table::Column& column) {
  std::string cut = column.keep_end ? fit_end(text, width) : fit(text, width);
  const std::size_t used = display_width(cut);
  const std::string space(left_of(width, used), ' ');
  return column.right ? space + cut : cut + space;
}

// Drops optional columns until the rest can be read.
Table with_room(Table table, const std::vector<std::size_t>& wanted, std::size_t width) {
  const auto needed = [&](std::size_t i) {
    return gap.size() + std::min(wanted[i], table.columns[i].readable);
  };
  std::size_t sum = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) sum += needed(i);
  for (std::size_t i = wanted.size(); width > 0 && sum > width && i-- > 0;) {
    if (!table.columns[i].optional) continue;
    sum -= needed(i);
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows)
      if (i < row.size()) row.erase(row.begin() + at);
  }
  return table;
}

std::vector<std::size_t> widths_in(const Table& table) {
  std::vector<std::size_t> wanted;
  for (const Table::Column& column : table.columns) wanted.push_back(display_width(column.title));
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < std::min(row.size(), wanted.size()); ++i)
      wanted[i] = std::max(wanted[i], display_width(row[i]));
  return wanted;
}

// All others are cut to what is readable before the greedy column is cut.
std::vector<std::size_t> widths_within(const Table& table, std::size_t room) {
  const std::vector<std::size_t> wanted = widths_in(table);
  const auto greedy = std::ranges::find_if(table.columns, &Table::Column::greedy);
  if (room == 0 || greedy == table.columns.end()) return share_out(wanted, room);
  const auto at = static_cast<std::size_t>(greedy - table.columns.begin());
  std::vector<std::size_t> needed = wanted;
  for (std::size_t i = 0; i < needed.size(); ++i)
    needed[i] = std::min(needed[i], table.columns[i].readable);
  const std::size_t others =
      std::accumulate(needed.begin(), needed.end(), std::size_t{0}) - needed[at];
  if (others + needed[at] > room) return share_out(wanted, room);
  needed[at] = std::min(wanted[at], room - others);
  if (needed[at] < wanted[at]) return needed;
  std::vector<std::size_t> rest = wanted;
  rest[at] = 0;
  rest = share_out(std::move(rest), room - needed[at]);
  rest[at] = needed[at];
  return rest;
}

// Each row by itself, to be read out.
std::string spoken(const Table& table) {
  std::string out;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::string line = i == table.marked ? "current" : "";
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      if (const std::string& text = table.rows[i][column]; !text.empty())
        line += (line.empty() ? "" : ", ") + std::string(table.columns[column].title) + ": " + text;
    out += line + "\n";
  }
  return out;
}

}  // namespace

std::vector<std::size_t> share_out(std::vector<std::size_t> wanted, std::size_t room,
                                   std::size_t least) {
  std::size_t sum = std::accumulate(wanted.begin(), wanted.end(), std::size_t{0});
  while (room > 0 && sum > room) {
    const auto widest = std::ranges::max_element(wanted);
    if (widest == wanted.end() || *widest <= least) break;
    // Shrinks the widest columns together, to the next widest or by what is missing.
    std::size_t next = least, equals = 0;
    for (const std::size_t each : wanted) {
      if (each == *widest)
        ++equals;
      else
        next = std::max(next, each);
    }
    const std::size_t missing = (sum - room + equals - 1) / equals;
    const std::size_t by = std::max<std::size_t>(1, std::min(missing, *widest - next));
    const std::size_t high = *widest;
    for (std::size_t& each : wanted)
      if (each == high && sum > room) {
        const std::size_t less = std::min(by, sum - room);
        each -= less;
        sum -= less;
      }
  }
  return wanted;
}

std::string drawn(const Table& given, std::size_t width, const TerminalStyle& look) {
  Table clean = given;
  for (auto& row : clean.rows) {
    row.resize(clean.columns.size());
    for (std::string& text : row) text = sanitized_row(text);
  }
  if (look.labels) return spoken(clean);
  const Table table = with_room(clean, widths_in(clean), width);
  const std::size_t between = gap.size() * table.columns.size();
  const std::vector<std::size_t> widths =
      widths_within(table, width == 0 ? 0 : std::max<std::size_t>(1, left_of(width, between)));

  const auto line = [&](std::string_view lead, const std::vector<std::string>& cells, Style style) {
    std::string text(lead);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text += gap;
      text += cell(cells[i], widths[i], table.columns[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return painted(text, style, look) + "\n";
  };
  std::vector<std::string> titles;
  for (const Table::Column& column : table.columns) titles.emplace_back(column.title);
  std::string out = line("  ", titles, style::dim);
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    out += line(i == table.marked ? "* " : "  ", table.rows[i],
                i == table.marked ? style::strong : style::plain);
  return out;
}

}  // namespace skein::layout
