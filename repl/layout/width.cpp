#include "repl/layout/width.h"

#include "core/text/std.h"

#include <utf8proc.h>

#include "core/text/text.h"

namespace skein::layout {

namespace {

constexpr utf8proc_int32_t joiner = 0x200D, emoji_selector = 0xFE0F;

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c < 0x7F; });
}

bool is_flag_half(utf8proc_int32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }

// Drawn into the character before it: skin tones, and the vowels and finals of a Hangul syllable.
bool is_drawn_in(utf8proc_int32_t c) {
  return (c >= 0x1F3FB && c <= 0x1F3FF) || (c >= 0x1160 && c <= 0x11FF);
}

std::size_t read(std::string_view text, utf8proc_int32_t& point) {
  const utf8proc_ssize_t length =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &point);
  if (length > 0) return static_cast<std::size_t>(length);
  point = 0xFFFD;
  return 1;
}

}  // namespace

// Summing what utf8proc says of each code point is right but for three things: a joiner makes one
// picture of several, two flag letters make one flag, and U+FE0F asks for the wide picture.
Grapheme first_grapheme(std::string_view text) {
  utf8proc_int32_t point = 0, state = 0;
  Grapheme out{.bytes = read(text, point)};
  const bool flag = is_flag_half(point);
  std::size_t widest = static_cast<std::size_t>(std::max(0, utf8proc_charwidth(point)));
  std::size_t sum = widest, points = 1;
  bool joined = false, wide = false;
  while (out.bytes < text.size()) {
    utf8proc_int32_t next = 0;
    const std::size_t length = read(text.substr(out.bytes), next);
    if (utf8proc_grapheme_break_stateful(point, next, &state)) break;
    const auto columns = static_cast<std::size_t>(std::max(0, utf8proc_charwidth(next)));
    widest = std::max(widest, columns);
    sum += is_drawn_in(next) ? 0 : columns;
    joined |= next == joiner;
    wide |= next == emoji_selector;
    out.bytes += length;
    ++points;
    point = next;
  }
  out.columns = (flag && points > 1) || wide ? 2 : joined ? widest : sum;
  return out;
}

std::size_t display_width(std::string_view text, std::size_t column) {
  if (is_ascii(text)) return text.size();
  const std::size_t start = column;
  while (!text.empty()) {
    const Grapheme next = first_grapheme(text);
    column += text[0] == '\t' ? 8 - column % 8 : next.columns;
    text.remove_prefix(next.bytes);
  }
  return column - start;
}

std::string fit(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t bytes = 0, used = 0;
  while (bytes < text.size()) {
    const Grapheme next = first_grapheme(text.substr(bytes));
    if (used + next.columns + 1 > columns) break;
    used += next.columns;
    bytes += next.bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

std::string fit_end(std::string_view text, std::size_t columns) {
  std::size_t left = display_width(text);
  if (left <= columns) return std::string(text);
  if (columns == 0) return {};
  while (left + 1 > columns && !text.empty()) {
    const Grapheme next = first_grapheme(text);
    left -= std::min(left, next.columns);
    text.remove_prefix(next.bytes);
  }
  return "…" + std::string(text);
}

std::string padded(std::string text, std::size_t columns) {
  const std::size_t used = display_width(text);
  if (used < columns) text.append(columns - used, ' ');
  return text;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (; times > 0; --times) out += text;
  return out;
}

std::string short_folder(const std::string& folder) {
  const std::string home = user_home();
  if (home.empty() || !(folder + "/").starts_with(home + "/")) return folder;
  return "~" + folder.substr(home.size());
}

}  // namespace skein::layout
