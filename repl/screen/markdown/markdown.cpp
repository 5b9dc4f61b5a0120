#include "repl/screen/markdown/markdown.h"

#include <algorithm>

#include "core/text/base.h"
#include "repl/screen/markdown/span.h"
#include "repl/screen/markdown/table.h"

namespace skein::screen::markdown {

namespace {

using Kind = MarkdownLine::Kind;

// The most that is held back while waiting for the end of a line or table.
constexpr std::size_t longest_held = 4096;
constexpr std::size_t longest_table = 256 * 1024;

std::string_view heading_text(std::string_view line, std::size_t level) {
  line.remove_prefix(level);
  while (line.starts_with(' ')) line.remove_prefix(1);
  const std::size_t end = line.find_last_not_of(" #");
  return line.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::string rule_line(std::size_t width) {
  std::string line;
  for (std::size_t i = 0; i < (width == 0 ? 40 : std::min<std::size_t>(width, 40)); ++i)
    line += "─";
  return line;
}

std::string bars(std::size_t quotes, const TerminalStyle& look) {
  std::string out;
  for (std::size_t i = 0; i < quotes; ++i) out += quote_bar(look);
  return out;
}

}  // namespace

void Markdown::set_width(std::size_t width) {
  width_ = width;
  flow_.set_width(width);
}

std::string Markdown::feed(std::string_view text) {
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
  return flow_.take();
}

std::string Markdown::end() {
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
    while (line_.size() >= longest_held) {
      const std::string part(utf8_prefix(line_, longest_held));
      show_blank_lines();
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
      show_blank_lines();
      flow_.begin(shape_.first, shape_.others);
      const Style style = shape_.level == 1 ? style::title : style::heading;
      add_spans(heading_text(line_, shape_.level), style, look_, flow_);
      return flow_.end_line();
    }
    case Kind::rule:
      if (look_.labels) return static_cast<void>(++blank_);
      if (!look_.colour) return show_as_prose(shape_, line_);
      show_blank_lines();
      return flow_.lines(shape_.first + painted(rule_line(width_), style::dim, look_) + "\n");
    case Kind::fence:
      // ```like this``` it is code inside a line.
      if (shape_.mark == '`' && line_.find('`', shape_.level) != std::string::npos)
        return show_as_prose(shape_, line_);
      show_blank_lines();
      flow_.lines((shape_.item || !is_rendered(look_) ? shape_.first : bars(shape_.quotes, look_)) +
                  (look_.labels ? "code:" : painted(line_, style::dim, look_)) + "\n");
      fence_ = shape_;
      in_code_ = true;
      colours_ = Highlighter(
          line_.substr(std::min(line_.find_first_not_of(" \t", shape_.level), line_.size())));
      return;
    case Kind::code:
      show_blank_lines();
      return flow_.lines(shape_.first + painted(line_, style::code, look_) + "\n");
    case Kind::prose: return;
  }
}

// Users copy code: no margin, no wrapping, nothing before it but the bar of a quote.
void Markdown::code_line() {
  std::string_view text = line_;
  show_blank_lines();
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
    flow_.lines(bars(fence_.quotes, look_));
    if (ends) {
      in_code_ = false;
      const std::string margin(is_rendered(look_) ? 0 : fence_.margin, ' ');
      return flow_.lines(margin +
                         (look_.labels ? "end of code" : painted(text, style::dim, look_)) + "\n");
    }
  }
  flow_.lines(colours_.line(text, look_) + "\n");
  mid_code_line_ = false;
}

void Markdown::show_table() {
  const std::vector<std::string> rows = std::move(rows_);
  rows_.clear();
  row_bytes_ = 0;
  if (rows.size() < 2 || !is_table_ruler(rows[1])) {
    for (std::size_t i = 0; i < rows.size(); ++i) show_as_prose(row_shape_, rows[i]);
    return;
  }
  show_blank_lines();
  flow_.lines(drawn_table(rows, row_shape_.others, width_, look_));
}

void Markdown::show_as_prose(const MarkdownLine& line, std::string_view content) {
  show_blank_lines();
  flow_.begin(line.first, line.others);
  if (is_rendered(look_))
    add_spans(content, style::plain, look_, flow_);
  else
    flow_.add(content, style::plain);
  flow_.end_line();
}

void Markdown::show_blank_lines() {
  if (any_) flow_.lines(std::string(blank_, '\n'));
  blank_ = 0;
  any_ = true;
}

}  // namespace skein::screen::markdown
