#include "repl/screen/markdown/highlight.h"

#include <algorithm>

#include "core/text/text.h"

namespace skein::screen::markdown {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::size_t word_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
}

// The position after the end of a string opened by `quote`; npos: not in this text.
std::size_t end_of_string(std::string_view text, std::size_t from, std::string_view quote) {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text.substr(at).starts_with(quote))
      return at + quote.size();
  }
  return std::string_view::npos;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t-") == std::string_view::npos;
}

}  // namespace

struct Highlighter::Piece {
  std::size_t length = 1;
  Style style{};
};

Highlighter::Highlighter(std::string_view info) {
  const std::string_view name = info.substr(0, info.find_first_of(" \t,{:"));
  diff_ = name == "diff" || name == "patch";
  language_ = find_language(name);
  if (language_ == nullptr) return;
  keywords_ = split(language_->keywords, ' ');
  std::ranges::sort(keywords_);
}

bool Highlighter::is_keyword(std::string_view word) const {
  if (language_->feature != Language::any_case) return std::ranges::binary_search(keywords_, word);
  return std::ranges::binary_search(keywords_, std::string_view(lower(word)));
}

Highlighter::Piece Highlighter::rest_of_long(std::string_view text) {
  const bool comment = open_ == language_->comments.block_close;
  const std::size_t found = comment ? text.find(open_) : end_of_string(text, 0, open_);
  const Style style = comment ? style::comment : style::literal;
  if (found == std::string_view::npos) return {text.size(), style};
  const std::size_t length = comment ? found + open_.size() : found;
  open_ = {};
  return {length, style};
}

Highlighter::Piece Highlighter::first_piece(std::string_view text, std::string_view before) {
  const Language& language = *language_;
  const auto starts = [&](std::string_view mark) {
    return !mark.empty() && text.starts_with(mark);
  };
  const auto& [line_comment, block_open, block_close] = language.comments;
  if (starts(block_open)) {
    open_ = block_close;
    const Piece rest = rest_of_long(text.substr(block_open.size()));
    return {block_open.size() + rest.length, style::comment};
  }
  if (starts(line_comment) && (line_comment != "#" || before.empty() || !is_word(before.back())))
    return {text.size(), style::comment};

  for (const std::string_view quote : split(language.long_quotes, ' ')) {
    if (!text.starts_with(quote)) continue;
    open_ = quote;
    return {quote.size() + rest_of_long(text.substr(quote.size())).length, style::literal};
  }
  const char c = text[0];
  if (language.quotes.find(c) != std::string_view::npos) {
    const std::size_t end = std::min(end_of_string(text, 1, text.substr(0, 1)), text.size());
    return {end, style::literal};
  }
  if (language.feature == Language::directives && c == '#' && is_blank(before))
    return {1 + word_length(text.substr(1)), style::keyword};
  if (language.feature == Language::tags && c == '<' && text.size() > 1) {
    const std::size_t slash = text[1] == '/' ? 2 : 1;
    return {slash + word_length(text.substr(slash)), style::keyword};
  }
  if (is_digit(c)) {
    const auto end = std::ranges::find_if_not(text, [](char d) { return is_word(d) || d == '.'; });
    return {static_cast<std::size_t>(end - text.begin()), style::number};
  }
  if (!is_word(c)) return {};
  if (language.feature == Language::keys && is_blank(before)) {
    const std::size_t end = std::min(text.find_first_of(" \t:="), text.size());
    const std::size_t sign = text.find_first_not_of(" \t", end);
    if (sign != std::string_view::npos && (text[sign] == ':' || text[sign] == '='))
      return {end, style::keyword};
  }
  const std::size_t length = word_length(text);
  return {length, is_keyword(text.substr(0, length)) ? style::keyword : style::plain};
}

std::string Highlighter::line(std::string_view safe, const TerminalStyle& look) {
  if (!look.colour) return std::string(safe);
  if (diff_) return painted(safe, style_of_diff_line(safe), look);
  if (language_ == nullptr) return std::string(safe);
  std::string out;
  std::size_t at = 0, plain = 0;  // from `plain` on nothing has been given out
  while (at < safe.size()) {
    const std::string_view text = safe.substr(at);
    const Piece piece = open_.empty() ? first_piece(text, safe.substr(0, at)) : rest_of_long(text);
    if (piece.style != style::plain) {
      out += safe.substr(plain, at - plain);
      out += painted(text.substr(0, piece.length), piece.style, look);
      plain = at + piece.length;
    }
    at += piece.length;
  }
  return out += safe.substr(std::min(plain, safe.size()));
}

Style style_of_diff_line(std::string_view line) {
  if (line.starts_with("+++") || line.starts_with("---")) return style::strong;
  if (line.starts_with("@@")) return style::place;
  if (line.starts_with("+")) return style::added;
  if (line.starts_with("-")) return style::removed;
  return style::plain;
}

std::string painted_diff(std::string_view safe, const TerminalStyle& look) {
  std::string out;
  while (!safe.empty()) {
    const std::size_t end = std::min(safe.find('\n'), safe.size());
    out += painted(safe.substr(0, end), style_of_diff_line(safe.substr(0, end)), look);
    if (end < safe.size()) out += '\n';
    safe.remove_prefix(std::min(end + 1, safe.size()));
  }
  return out;
}

}  // namespace skein::screen::markdown
