#include "repl/screen/markdown/markdown.h"

#include "core/text/base.h"
#include "core/text/text.h"
#include "repl/layout/table.h"
#include "repl/layout/width.h"

namespace skein::screen::markdown {

using layout::display_width, layout::painted, layout::without_styles;

namespace {

// A complete Markdown table: drawn with lines if there are styles, else as Markdown; cells wrap.

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
  const std::size_t space = layout::left_of(width, used);
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
    add_spans(part, style, look, flow);
    flow.end_line();
    if (more) cell.remove_prefix(close + 1);
  }
  const std::string text = flow.take();
  const std::vector<std::string_view> rows = split(text, '\n');
  return {rows.begin(), rows.end()};
}

// `lines`: the source, the ruler second. `prefix` precedes every row. `width` 0: unlimited.
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
    widths_ = layout::share_out(
        wanted, width == 0 ? 0 : std::max<std::size_t>(1, layout::left_of(width, taken)), 6);
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
        line += (column > 0 ? "─┼─" : "") + layout::repeated("─", widths_[column]);
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

// "|---|:--:|"
bool is_table_ruler(std::string_view line) {
  line = trimmed(line);
  return line.starts_with('|') && line.find('-') != std::string_view::npos &&
         line.find_first_not_of("|-: \t") == std::string_view::npos;
}

using Kind = MarkdownLine::Kind;

// The most that is held back while waiting for the end of a line or table.
constexpr std::size_t longest_held = 4096;
constexpr std::size_t longest_code = 64 * 1024;
constexpr std::size_t longest_table = 256 * 1024;

std::string_view heading_text(std::string_view line, std::size_t level) {
  line.remove_prefix(level);
  while (line.starts_with(' ')) line.remove_prefix(1);
  const std::size_t end = line.find_last_not_of(" #");
  return line.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::string bars(std::size_t quotes, const TerminalStyle& look) {
  return layout::repeated(quote_bar(look), quotes);
}

}  // namespace

void Markdown::set_width(std::size_t width) {
  width_ = width;
  flow_.set_width(width);
}

std::string Markdown::feed(std::string_view untrusted) {
  begun_ = begun_ || !untrusted.empty();
  std::string safe;
  sanitizer_.feed(untrusted, safe);
  take_in(safe);
  return flow_.take();
}

void Markdown::take_in(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    line_ += text.substr(0, end);
    if (end == std::string_view::npos) {
      advance(false);
      break;
    }
    advance(true);
    finish_line();
    text.remove_prefix(end + 1);
  }
}

std::string Markdown::end() {
  std::string rest;
  sanitizer_.end(rest);
  take_in(rest);
  if (!line_.empty() || phase_ != Phase::start || mid_code_line_) {
    advance(true);
    finish_line();
  }
  if (!rows_.empty()) show_table();
  std::string out = flow_.take();
  *this = Markdown(look_, width_);
  return out;
}

std::string Markdown::pause() {
  flow_.let_go();
  return flow_.take();
}

std::string Markdown::interrupt() {
  flow_.let_go();
  flow_.interrupted();
  return flow_.take();
}

// Shows as much of the line as is already certain.
void Markdown::advance(bool whole) {
  if (in_code_) {
    // What is broken into rows is broken as a whole.
    const std::size_t most = look_.colour && width_ > 0 ? longest_code : longest_held;
    while (line_.size() >= most) {
      const std::string part(utf8_prefix(line_, most));
      if (look_.colour && !mid_code_line_) flow_.lines(std::exchange(fence_.first, fence_.others));
      flow_.lines(colours_.line(part, look_));
      line_.erase(0, part.size());
      mid_code_line_ = true;
    }
    return;
  }
  if (phase_ == Phase::start) {
    const bool long_enough = line_.size() >= longest_held;
    const std::string_view start = std::string_view(line_).substr(0, longest_held);
    if (const auto line = read_markdown_line(start, whole || long_enough, in_list_, look_))
      begin(*line);
  }
  if (phase_ == Phase::holding && line_.size() >= longest_held) {
    if (!rows_.empty()) show_table();
    show_blank_lines();
    flow_.begin(shape_.first, shape_.others);
    phase_ = Phase::flowing;
  }
  if (phase_ == Phase::flowing) flow_spans(whole);
}

void Markdown::begin(const MarkdownLine& line) {
  if (!rows_.empty() &&
      (line.kind != Kind::row || line.quotes != row_shape_.quotes || row_bytes_ > longest_table))
    show_table();
  shape_ = line;
  before_ = 0;
  if (line.kind != Kind::blank) in_list_ = line.item || (in_list_ && line.margin > 0);
  line_.erase(0, line.content);
  if (line.kind != Kind::prose) {
    phase_ = Phase::holding;
    return;
  }
  show_blank_lines();
  flow_.begin(line.first, line.others);
  phase_ = Phase::flowing;
}

void Markdown::flow_spans(bool whole) {
  std::string_view text = line_;
  if (!is_rendered(look_)) {
    flow_.add(text, style::plain);
    text = {};
  }
  while (!text.empty()) {
    const auto span = first_span(text, before_, whole);
    if (!span) break;
    add_span(*span, style::plain, look_, flow_);
    before_ = text[span->length - 1];
    text.remove_prefix(span->length);
  }
  line_.erase(0, line_.size() - text.size());
}

void Markdown::finish_line() {
  if (in_code_) {
    code_line();
  } else if (phase_ == Phase::flowing) {
    flow_.end_line();
  } else {
    finish_held();
  }
  line_.clear();
  phase_ = Phase::start;
}

void Markdown::finish_held() {
  switch (shape_.kind) {
    case Kind::blank:
      if (shape_.quotes == 0) {
        ++blank_;
        return;
      }
      return show_as_prose(shape_, "");
    case Kind::row:
      if (rows_.empty()) row_shape_ = shape_;
      row_bytes_ += line_.size();
      rows_.push_back(line_);
      if (rows_.size() == 2 && !is_table_ruler(line_)) show_table();
      return;
    case Kind::heading: {
      if (!is_rendered(look_)) return show_as_prose(shape_, line_);
      const Style style = shape_.level == 1 ? style::title : style::heading;
      return show_as_prose(shape_, heading_text(line_, shape_.level), style);
    }
    case Kind::rule:
      if (look_.labels) return static_cast<void>(++blank_);
      if (!look_.colour) return show_as_prose(shape_, line_);
      show_blank_lines();
      return flow_.lines(
          shape_.first +
          painted(layout::repeated("─", std::min<std::size_t>(width_ > 0 ? width_ : 40, 40)),
                  style::dim, look_) +
          "\n");
    case Kind::fence:
      // ```like this``` it is code inside a line.
      if (shape_.mark == '`' && line_.find('`', shape_.level) != std::string::npos)
        return show_as_prose(shape_, line_);
      return begin_code();
    case Kind::code:
      language_.clear();
      show_blank_lines();
      return show_code(shape_.first, painted(line_, style::code, look_));
    case Kind::prose: return;
  }
}

// With styles the fences are left out, and the code is indented instead.
void Markdown::begin_code() {
  show_blank_lines();
  const std::string info =
      line_.substr(std::min(line_.find_first_not_of(" \t", shape_.level), line_.size()));
  fence_ = shape_;
  in_code_ = true;
  colours_ = Highlighter(info);
  if (look_.colour) {
    language_ = info.substr(0, info.find_first_of(" \t,{:"));
    if (!fence_.item)
      fence_.first = fence_.others =
          bars(fence_.quotes, look_) + std::string(std::max<std::size_t>(fence_.margin, 2), ' ');
    return;
  }
  flow_.lines((shape_.item || !is_rendered(look_) ? shape_.first : bars(shape_.quotes, look_)) +
              (look_.labels ? "code:" : line_) + "\n");
  fence_.first = fence_.others = bars(fence_.quotes, look_);
}

void Markdown::code_line() {
  std::string_view text = line_;
  if (!mid_code_line_) {
    if (strip_quotes(text, fence_.quotes) < fence_.quotes) {  // the quote has ended, and its code
      in_code_ = false;
      advance(true);
      return finish_line();
    }
    const bool ends = closes(text, fence_);
    if (is_rendered(look_) || ends) {
      const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
      text.remove_prefix(std::min(spaces, fence_.margin));
    }
    if (ends) {
      in_code_ = false;
      if (look_.colour) return;
      const std::string margin(is_rendered(look_) ? 0 : fence_.margin, ' ');
      return flow_.lines(fence_.others + margin +
                         (look_.labels ? "end of code" : std::string(text)) + "\n");
    }
  }
  const bool blank = look_.colour && text.empty() && fence_.quotes == 0;
  show_code(mid_code_line_ || blank ? "" : std::exchange(fence_.first, fence_.others),
            colours_.line(text, look_));
  mid_code_line_ = false;
}

// Long lines are broken with styles only: without them the Markdown source is shown.
void Markdown::show_code(std::string_view first, std::string code) {
  std::vector<std::string> rows;
  add_code_rows(rows, first, std::move(code), look_.colour ? width_ : 0);
  const std::string language = std::exchange(language_, {});
  const std::size_t used =
      display_width(without_styles(rows.front())) + 2 + display_width(language);
  if (!language.empty() && used <= width_)
    rows.front() += std::string(width_ - used + 2, ' ') + painted(language, style::dim, look_);
  for (const std::string& row : rows) flow_.lines(row + "\n");
}

void Markdown::show_table() {
  const std::vector<std::string> rows = std::move(rows_);
  rows_.clear();
  row_bytes_ = 0;
  if (rows.size() < 2 || !is_table_ruler(rows[1])) {
    for (const std::string& row : rows) show_as_prose(row_shape_, row);
    return;
  }
  show_blank_lines();
  flow_.lines(Drawing(rows, row_shape_.others, width_, look_).text());
}

void Markdown::show_as_prose(const MarkdownLine& line, std::string_view content, Style style) {
  show_blank_lines();
  flow_.begin(line.first, line.others);
  add_spans(content, style, look_, flow_);
  flow_.end_line();
}

void Markdown::show_blank_lines() {
  if (any_)
    flow_.lines(std::string(look_.colour ? std::min<std::size_t>(blank_, 1) : blank_, '\n'));
  blank_ = 0;
  any_ = true;
}

}  // namespace skein::screen::markdown
