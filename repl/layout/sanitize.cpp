#include "repl/layout/sanitize.h"

#include "core/text/std.h"

#include <utf8proc.h>

#include "core/text/utf8.h"

namespace skein::layout {

namespace {

constexpr unsigned most_marks = 8;  // no script needs more; piles of them cover other lines
constexpr std::string_view replacement = "\xEF\xBF\xBD";

constexpr auto plain_bytes = [] {
  std::array<bool, 256> table{};
  for (unsigned i = 0x20; i < 0x7F; ++i) table[i] = true;
  table['\n'] = table['\t'] = true;
  return table;
}();

struct CodePointRange {
  char32_t first, last;
};

// Shown as <U+….>: C1 controls, directional overrides and isolates, separators that some programs
// take for a line end, and invisible formatting: byte order marks, annotations, tags.
constexpr CodePointRange spelled_out[] = {
    {0x7F, 0x9F},     {0x61C, 0x61C},   {0x180E, 0x180E}, {0x200E, 0x200F},   {0x2028, 0x202E},
    {0x2066, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
};

bool is_spelled_out(char32_t c) {
  return std::ranges::any_of(
      spelled_out, [=](CodePointRange range) { return c >= range.first && c <= range.last; });
}

void spell_out(char32_t c, std::string& out) {
  std::array<char, 16> code{};
  std::snprintf(code.data(), code.size(), "<U+%04X>", static_cast<unsigned>(c));
  out += code.data();
}

bool is_mark(char32_t c) {
  if (c < 0x300) return false;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME;
}

}  // namespace

// Returns how much was consumed; an incomplete character is left unless this is the last piece.
std::size_t Sanitizer::pass(std::string_view text, bool last, std::string& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t run = at;
    while (run < text.size() && plain_bytes[static_cast<unsigned char>(text[run])]) ++run;
    if (run > at) {
      out.append(text.substr(at, run - at));
      marks_ = 0;
      at = run;
      continue;
    }
    const Utf8Character next = first_character(text.substr(at));
    if (next.cut && !last) return at;
    if (next.point == '\r' && next.good) {
      if (at + 1 == text.size() && !last) return at;
      at += 1;
      if (at < text.size() && text[at] == '\n') continue;
      out += "\u240D";
      marks_ = 0;
      continue;
    }
    marks_ = next.good && is_mark(next.point) ? marks_ + 1 : 0;
    if (!next.good) {
      out += replacement;
    } else if (next.point < 0x20) {  // U+2400 … are the pictures of the control characters
      out += "\xE2\x90";
      out += static_cast<char>(0x80 + next.point);
    } else if (next.point == 0x7F) {
      out += "\u2421";
    } else if (is_spelled_out(next.point) || marks_ > most_marks) {
      spell_out(next.point, out);
    } else {
      out.append(text.substr(at, next.length));
    }
    at += next.length;
  }
  return at;
}

void Sanitizer::feed(std::string_view piece, std::string& out) {
  if (held_.empty()) {
    held_ = piece.substr(pass(piece, false, out));
    return;
  }
  held_ += piece;
  const std::string joined = std::move(held_);
  held_ = joined.substr(pass(joined, false, out));
}

void Sanitizer::end(std::string& out) {
  const std::string rest = std::move(held_);
  held_.clear();
  pass(rest, true, out);
  marks_ = 0;
}

std::string sanitized(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Sanitizer door;
  door.feed(text, out);
  door.end(out);
  return out;
}

std::string sanitized_row(std::string_view text) {
  std::string out = sanitized(text);
  std::ranges::replace_if(
      out, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return out;
}

}  // namespace skein::layout
