#include "repl/layout/flow.h"

#include <algorithm>

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

std::string Flow::take() {
  std::string out = std::move(out_);
  out_.clear();
  return out;
}

namespace {

void wrap_line(std::string_view line, std::size_t width, std::string& out) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::size_t column = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t from = std::min(line.find_first_not_of(' ', at), line.size());
    const std::string_view word = line.substr(from, line.find(' ', from) - from);
    const std::size_t columns = display_width(word);
    if (column > indent && column + (from - at) + columns > width) {
      out.append("\n").append(indent, ' ');
      column = indent;
    } else {
      out.append(from - at, ' ');
      column += from - at;
    }
    out += word;
    column += columns;
    at = from + word.size();
  }
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find('\x1b') == std::string_view::npos && display_width(line) > width)
      wrap_line(line, width, out);
    else
      out += line;
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string hanging(std::string_view text, std::size_t column, std::size_t width) {
  std::string out = wrapped(text, width > column ? width - column : 0);
  for (std::size_t at = 0; (at = out.find('\n', at)) != std::string::npos; at += column + 1)
    out.replace(at, 1, "\n" + std::string(column, ' '));
  return out;
}

}  // namespace skein::layout
