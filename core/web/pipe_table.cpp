#include "core/web/pipe_table.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "core/text/text.h"

namespace skein::web {

namespace {

constexpr std::size_t most_columns = 100;

std::string as_cell(std::string_view text) {
  std::string out;
  for (const char c : trimmed(text)) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

void PipeTable::begin_row() {
  if (rows_.empty() || !rows_.back().empty()) rows_.emplace_back();
}

void PipeTable::add_cell(std::string text) {
  if (rows_.empty()) rows_.emplace_back();
  if (rows_.back().size() < most_columns) rows_.back().push_back(std::move(text));
}

std::vector<std::string> PipeTable::cells() const {
  std::vector<std::string> out;
  for (const auto& row : rows_) out.insert(out.end(), row.begin(), row.end());
  return out;
}

std::string PipeTable::text() const {
  // Only the head is filled up to the widest row: all of them would cost rows times columns.
  std::size_t columns = 0;
  bool blank = true;
  for (const auto& row : rows_) {
    columns = std::max(columns, row.size());
    blank = blank && std::ranges::all_of(row, [](auto& cell) { return trimmed(cell).empty(); });
  }
  if (blank) return {};
  std::string out;
  if (columns <= 1) {
    for (const std::string& cell : cells())
      if (!trimmed(cell).empty()) out.append(trimmed(cell)).append("\n\n");
    return out;
  }
  bool head = true;
  for (const auto& row : rows_) {
    if (row.empty()) continue;
    for (const std::string& cell : row) out += "| " + as_cell(cell) + " ";
    if (head)
      for (std::size_t i = row.size(); i < columns; ++i) out += "| ";
    out += "|\n";
    if (!std::exchange(head, false)) continue;
    for (std::size_t i = 0; i < columns; ++i) out += "| --- ";
    out += "|\n";
  }
  return out;
}

}  // namespace skein::web
