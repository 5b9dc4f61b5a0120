#include "repl/layout/flow.h"

#include "core/text/std.h"

#include "core/text/utf8.h"
#include "repl/layout/width.h"

namespace skein::layout {

namespace {

constexpr std::size_t longest_word = 512;  // bytes; what is longer goes out in parts

// Scripts written without spaces: a line may break before any of their characters.
bool is_wide(char32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF01 && c <= 0xFF60) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

// Never at the start of a line: closing marks, and marks that modify the preceding character.
bool clings(char32_t c) {
  constexpr std::u32string_view closing = U"、。〉》」』】〕，．：；！？）］｝〟\u3099\u309A";
  return closing.find(c) != std::u32string_view::npos;
}

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
  return rows_taken(display_width(without_styles(line)), width);
}

// The first lines, or the last, that fit into so many rows; at least one.
Cut cut_to(std::string_view drawn, std::size_t rows, std::size_t width, bool at_end) {
  std::vector<std::string_view> lines = drawn_lines(drawn);
  if (at_end) std::ranges::reverse(lines);
  std::size_t used = 0, bytes = 0, kept = 0;
  for (const std::string_view line : lines) {
    used += rows_of_line(line, width);
    if (kept > 0 && used > rows) break;
    bytes += line.size();
    ++kept;
  }
  return {drawn.substr(at_end ? drawn.size() - bytes : 0, bytes), lines.size() - kept};
}

// The indent for the rest of a line: that of the second column if the line has a name, two blanks
// and a text, and if half of the width is left for the text. Else that of the line.
std::size_t hang_of(std::string_view line, std::size_t indent, std::size_t width) {
  const std::size_t gap = line.find("  ", indent);
  if (gap == std::string_view::npos) return indent;
  const std::size_t end = line.find_first_not_of(' ', gap);
  if (end == std::string_view::npos) return indent;
  const std::size_t column = display_width(line.substr(0, end));
  return column <= width / 2 ? column : indent;
}

std::string wrapped_line(std::string_view line, std::size_t width) {
  if (line.find('\x1b') != line.npos || display_width(line) <= width) return std::string(line);
  std::string out;
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t hang = hang_of(line, indent, width);
  std::size_t column = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t from = std::min(line.find_first_not_of(' ', at), line.size());
    const std::string_view word = line.substr(from, line.find(' ', from) - from);
    const std::size_t columns = display_width(word);
    if (column > indent && column + (from - at) + columns > width) {
      column = hang + columns <= width ? hang : indent;
      out.append("\n").append(column, ' ');
    } else {
      out.append(from - at, ' ');
      column += from - at;
    }
    out += word;
    column += columns;
    at = from + word.size();
  }
  return out;
}

}  // namespace

void Flow::begin(std::string_view first, std::string_view others) {
  out_ += first;
  others_ = others;
  column_ = 0;
  if (width_ == 0) return;
  column_ = display_width(without_styles(first));
  indent_ = display_width(without_styles(others));
}

void Flow::switch_to(Style style, std::string& where) {
  if (style == style_) return;
  if (look_.colour) {
    if (style_ != style::plain) where += end_of_style;
    where += start_of(style);
  }
  style_ = style;
}

void Flow::add(std::string_view text, Style style) {
  if (width_ == 0) {
    switch_to(style, out_);
    out_ += text;
    return;
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    append(text.substr(0, end), style);
    text.remove_prefix(end);
    const std::size_t words = std::min(text.find_first_not_of(" \t"), text.size());
    if (words == 0) continue;
    place();
    broken_ = wide_before_ = false;
    spaces_ += words;
    text.remove_prefix(words);
  }
}

void Flow::append(std::string_view letters, Style style) {
  while (!letters.empty()) {
    const Utf8Character next = first_character(letters);
    const char32_t c = next.point;
    std::size_t length = next.length;
    const bool wide = is_wide(c);
    if (!clings(c) && (wide || (wide_before_ && c < 0x80))) {
      place();
      broken_ = false;
    } else if (plain_.size() + length > longest_word) {
      place();
      broken_ = true;
    }
    if (c < 0x80) {
      const auto end = std::ranges::find_if(
          letters, [](char each) { return static_cast<unsigned char>(each) >= 0x80; });
      length =
          std::min(static_cast<std::size_t>(end - letters.begin()), longest_word - plain_.size());
    }
    if (plain_.empty()) word_style_ = style_;
    switch_to(style, word_);
    word_ += letters.substr(0, length);
    plain_ += letters.substr(0, length);
    wide_before_ = wide || (wide_before_ && c >= 0x80);
    letters.remove_prefix(length);
  }
}

void Flow::close() {
  if (width_ == 0 || word_.empty()) return switch_to(style::plain, out_);
  switch_to(style::plain, word_);
}

void Flow::add_unseen(std::string_view sequence) {
  if (width_ == 0)
    out_ += sequence;
  else
    word_ += sequence;
}

// The open style continues in the next row, but not across its indent.
void Flow::next_row(std::string_view style) {
  if (!style.empty()) out_ += end_of_style;
  out_ += '\n';
  out_ += others_;
  out_ += style;
  column_ = indent_;
}

void Flow::place() {
  const std::size_t columns = display_width(plain_);
  const std::string style = look_.colour ? start_of(word_style_) : std::string{};
  if (columns > 0 && !broken_ && column_ > indent_ && column_ + spaces_ + columns > width_) {
    next_row(style);
  } else if (!plain_.empty()) {
    out_.append(spaces_, ' ');
    column_ += spaces_;
  }
  if (!plain_.empty()) spaces_ = 0;
  if (long_words_ == LongWords::broken && column_ + columns > width_) {
    place_broken();
  } else {
    out_ += word_;
    column_ += columns;
    if (width_ > 0 && column_ > width_) column_ %= width_;
  }
  word_.clear();
  plain_.clear();
}

void Flow::place_broken() {
  std::string style = look_.colour ? start_of(word_style_) : std::string{};
  for (std::string_view rest = word_; !rest.empty();) {
    if (const std::size_t ours = rest[0] == '\033' ? own_sequence(rest) : 0; ours > 0) {
      const std::string_view sequence = rest.substr(0, ours);
      if (sequence.ends_with('m')) style = sequence == end_of_style ? "" : std::string(sequence);
      out_ += sequence;
      rest.remove_prefix(ours);
      continue;
    }
    const Grapheme next = first_grapheme(rest);
    if (column_ + next.columns > width_ && column_ > indent_) next_row(style);
    out_ += rest.substr(0, next.bytes);
    column_ += next.columns;
    rest.remove_prefix(next.bytes);
  }
}

void Flow::let_go() {
  if (plain_.empty()) return;
  place();
  broken_ = true;
}

void Flow::end_line() {
  place();
  close();
  out_ += '\n';
  column_ = spaces_ = 0;
  broken_ = wide_before_ = false;
}

std::string Flow::take() { return std::exchange(out_, {}); }

std::vector<std::string_view> pieces_of(std::string_view line, std::size_t width) {
  std::vector<std::string_view> out;
  while (!line.empty()) {
    std::size_t end = 0, columns = 0, behind_word = 0;
    while (end < line.size()) {
      const Grapheme next = first_grapheme(line.substr(end));
      if (end > 0 && columns + next.columns > width) break;
      columns += next.columns;
      end += next.bytes;
      if (line[end - 1] == ' ' && line.substr(0, end).find_first_not_of(' ') != line.npos)
        behind_word = end;
    }
    if (end < line.size() && behind_word > 0) end = behind_word;
    out.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  if (out.empty()) out.push_back(line);
  return out;
}

std::string wrapped(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  return by_line(text, [width](std::string_view line) { return wrapped_line(line, width); });
}

std::string wrapped_by_parts(std::string_view line, std::size_t width) {
  constexpr std::string_view dot = "·", joined = "\u00A0";
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] == ' ' && !std::string_view(out).ends_with(dot))
      out += joined;
    else
      out += line[i];
  out = wrapped(out, width);
  for (std::size_t at = 0; (at = out.find(joined, at)) != std::string::npos; ++at)
    out.replace(at, joined.size(), " ");
  return out;
}

std::string hanging(std::string_view text, std::size_t column, std::size_t width) {
  std::string out = wrapped(text, left_of(width, column));
  for (std::size_t at = 0; (at = out.find('\n', at)) != std::string::npos; at += column + 1)
    out.replace(at, 1, "\n" + std::string(column, ' '));
  return out;
}

std::size_t rows_of(std::string_view drawn, std::size_t width) {
  std::size_t rows = 0;
  for (const std::string_view line : drawn_lines(drawn)) rows += rows_of_line(line, width);
  return rows;
}

Cut first_rows(std::string_view drawn, std::size_t rows, std::size_t width) {
  return cut_to(drawn, rows, width, false);
}

Cut last_rows(std::string_view drawn, std::size_t rows, std::size_t width) {
  return cut_to(drawn, rows, width, true);
}

}  // namespace skein::layout
