#include "repl/screen/markdown/table.h"

#include <algorithm>

#include "core/text/text.h"
#include "repl/layout/table.h"
#include "repl/layout/width.h"
#include "repl/screen/markdown/line.h"
#include "repl/screen/markdown/span.h"

namespace skein::screen::markdown {

using layout::display_width, layout::painted, layout::without_styles;

namespace {

using Cells = std::vector<std::string>;
enum class Align { left, right, centre };
constexpr std::size_t most_columns = 64;

// A "|" in code or behind a backslash is part of the cell.
Cells cells_of(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  Cells out;
  std::string cell;
  bool code = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += line[++i];
      continue;
    }
    if (line[i] == '`') code = !code && line.find('`', i + 1) != std::string_view::npos;
    if (line[i] == '|' && !code && out.size() + 1 < most_columns) {
      out.emplace_back(trimmed(cell));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  if (!trimmed(cell).empty()) out.emplace_back(trimmed(cell));
  return out;
}

Align align_of(std::string_view ruler_cell) {
  if (!ruler_cell.ends_with(':')) return Align::left;
  return ruler_cell.starts_with(':') ? Align::centre : Align::right;
}

std::string aligned(const std::string& styled, std::size_t used, std::size_t width, Align align) {
  const std::size_t space = used < width ? width - used : 0;
  const std::size_t before = align == Align::right ? space : align == Align::centre ? space / 2 : 0;
  return std::string(before, ' ') + styled + std::string(space - before, ' ');
}

// The rows a cell takes at that width; 0: one.
Cells rows_of(std::string_view cell, std::size_t width, Style style, const TerminalStyle& look) {
  if (!is_rendered(look) && width == 0 && cell.find('<') == std::string_view::npos)
    return {std::string(cell)};
  Flow flow(look, width, Flow::LongWords::broken);
  for (bool more = true; more;) {
    const std::size_t end = cell.find("<br");
    const std::size_t close = end == std::string_view::npos ? end : cell.find('>', end);
    more = close != std::string_view::npos;
    const std::string_view part = cell.substr(0, more ? end : cell.size());
    flow.begin("", "");
    if (is_rendered(look))
      add_spans(part, style, look, flow);
    else
      flow.add(part, style);
    flow.end_line();
    if (more) cell.remove_prefix(close + 1);
  }
  const std::string text = flow.take();
  Cells out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

class Drawing {
 public:
  Drawing(const std::vector<std::string>& lines, std::string_view prefix, std::size_t width,
          const TerminalStyle& look)
      : prefix_(prefix), look_(look) {
    for (const std::string& line : lines) rows_.push_back(cells_of(line));
    for (const std::string& cell : rows_[1]) aligns_.push_back(align_of(cell));
    std::size_t columns = aligns_.size();
    for (const Cells& row : rows_) columns = std::max(columns, row.size());
    aligns_.resize(columns);
    rows_.erase(rows_.begin() + 1);

    std::vector<std::size_t> wanted(columns, 3);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      std::vector<Parts>& shown = parts_.emplace_back();
      for (std::size_t column = 0; column < rows_[i].size(); ++column)
        for (const Part& part : shown.emplace_back(parts_of(rows_[i][column], 0, style_of(i))))
          wanted[column] = std::max(wanted[column], part.columns);
    }
    const std::size_t lines_between = look.colour ? 3 * columns - 3 : 3 * columns + 1;
    const std::size_t taken = lines_between + display_width(without_styles(prefix));
    widths_ = layout::share_out(wanted, width == 0 ? 0 : width > taken ? width - taken : 1, 6);
    wraps_ = widths_ != wanted;
  }

  std::string text() const {
    if (look_.labels) return spoken();
    std::string out;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      add_row(i, out);
      if (i == 0) add_ruler(out);
    }
    return out;
  }

 private:
  // Each row by itself, to be read out.
  std::string spoken() const {
    const auto cell = [&](std::size_t row, std::size_t column) {
      std::string out;
      if (column < parts_[row].size())
        for (const Part& part : parts_[row][column]) out += part.text;
      return out;
    };
    std::string out;
    const std::size_t first = rows_.size() > 1 ? 1 : 0;  // a table may have titles alone
    for (std::size_t row = first; row < rows_.size(); ++row) {
      std::string line;
      for (std::size_t column = 0; column < widths_.size(); ++column) {
        const std::string title = row == 0 ? "" : cell(0, column), text = cell(row, column);
        if (text.empty()) continue;
        line += (line.empty() ? "" : ", ") + (title.empty() ? "" : title + ": ") + text;
      }
      out += prefix_ + line + "\n";
    }
    return out;
  }
  Style style_of(std::size_t row) const {
    return row == 0 && look_.colour ? style::strong : style::plain;
  }

  // What a cell shows in one row of the table, and how wide that is.
  struct Part {
    std::string text{};
    std::size_t columns = 0;
  };
  using Parts = std::vector<Part>;

  Parts parts_of(std::string_view cell, std::size_t width, Style style) const {
    Parts out;
    for (std::string& row : rows_of(cell, width, style, look_)) {
      const std::size_t columns = display_width(look_.colour ? without_styles(row) : row);
      out.push_back({std::move(row), columns});
    }
    return out;
  }

  void add_row(std::size_t index, std::string& out) const {
    std::vector<Parts> parts = parts_[index];
    parts.resize(widths_.size());
    std::size_t height = 1;
    for (std::size_t column = 0; column < widths_.size(); ++column) {
      if (wraps_ && column < rows_[index].size())
        parts[column] = parts_of(rows_[index][column], widths_[column], style_of(index));
      height = std::max(height, parts[column].size());
    }
    const std::string bar = look_.colour ? painted(" │ ", style::dim, look_) : " | ";
    for (std::size_t row = 0; row < height; ++row) {
      std::string line = look_.colour ? "" : "| ";
      for (std::size_t column = 0; column < widths_.size(); ++column) {
        if (column > 0) line += bar;
        const Part part = row < parts[column].size() ? parts[column][row] : Part{};
        line += aligned(part.text, part.columns, widths_[column], aligns_[column]);
      }
      if (!look_.colour) line += " |";
      line.erase(line.find_last_not_of(' ') + 1);
      out += prefix_ + line + "\n";
    }
  }

  void add_ruler(std::string& out) const {
    std::string line = look_.colour ? "" : "|";
    for (std::size_t column = 0; column < widths_.size(); ++column) {
      const Align align = aligns_[column];
      if (look_.colour) {
        if (column > 0) line += "─┼─";
        for (std::size_t i = 0; i < widths_[column]; ++i) line += "─";
      } else {
        line += align == Align::centre ? ":" : "-";
        line.append(widths_[column], '-');
        line += align == Align::left ? "-|" : ":|";
      }
    }
    out += prefix_ + painted(line, style::dim, look_) + "\n";
  }

  std::string prefix_;
  const TerminalStyle& look_;
  std::vector<Cells> rows_{};
  std::vector<std::vector<Parts>> parts_{};  // of the rows, not yet wrapped
  std::vector<Align> aligns_{};
  std::vector<std::size_t> widths_{};
  bool wraps_ = false;
};

}  // namespace

bool is_table_ruler(std::string_view line) {
  line = trimmed(line);
  return line.starts_with('|') && line.find('-') != std::string_view::npos &&
         line.find_first_not_of("|-: \t") == std::string_view::npos;
}

std::string drawn_table(const std::vector<std::string>& lines, std::string_view prefix,
                        std::size_t width, const TerminalStyle& look) {
  return Drawing(lines, prefix, width, look).text();
}

}  // namespace skein::screen::markdown
