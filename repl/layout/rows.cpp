#include "repl/layout/rows.h"

#include <algorithm>
#include <vector>

#include "repl/layout/style.h"
#include "repl/layout/width.h"

namespace skein::layout {

namespace {

std::vector<std::string_view> drawn_lines(std::string_view drawn) {
  std::vector<std::string_view> out;
  while (!drawn.empty()) {
    const std::size_t end = std::min(drawn.find('\n'), drawn.size() - 1) + 1;
    out.push_back(drawn.substr(0, end));
    drawn.remove_prefix(end);
  }
  return out;
}

std::size_t rows_of_line(std::string_view line, std::size_t width) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (width == 0) return 1;
  return std::max<std::size_t>(1, (display_width(without_styles(line)) + width - 1) / width);
}

}  // namespace

std::size_t rows_of(std::string_view drawn, std::size_t width) {
  std::size_t rows = 0;
  for (const std::string_view line : drawn_lines(drawn)) rows += rows_of_line(line, width);
  return rows;
}

Cut first_rows(std::string_view drawn, std::size_t rows, std::size_t width) {
  const std::vector<std::string_view> lines = drawn_lines(drawn);
  std::size_t bytes = 0, kept = 0, used = 0;
  for (const std::string_view line : lines) {
    used += rows_of_line(line, width);
    if (kept > 0 && used > rows) break;
    bytes += line.size();
    ++kept;
  }
  return {drawn.substr(0, bytes), lines.size() - kept};
}

Cut last_rows(std::string_view drawn, std::size_t rows, std::size_t width) {
  const std::vector<std::string_view> lines = drawn_lines(drawn);
  std::size_t bytes = 0, kept = 0, used = 0;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    used += rows_of_line(*line, width);
    if (kept > 0 && used > rows) break;
    bytes += line->size();
    ++kept;
  }
  return {drawn.substr(drawn.size() - bytes), lines.size() - kept};
}

}  // namespace skein::layout
