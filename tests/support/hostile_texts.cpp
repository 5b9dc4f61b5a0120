#include "tests/support/hostile_texts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

#include "core/text/base.h"

namespace skein::test {

namespace {

constexpr std::string_view sequences[] = {
    // OSC: titles, palette, folder, link, notification, colours, clipboard, marks, images
    "\033]0;title\a",
    "\033]1;icon\a",
    "\033]2;title\033\\",
    "\033]4;1;rgb:ff/00/00\a",
    "\033]4;1;?\a",
    "\033]7;file://host/etc\a",
    "\033]8;;https://evil.org\033\\x\033]8;;\033\\",
    "\033]8;;https://evil.org\ax\033]8;;\a",
    "\033]9;note\a",
    "\033]9;4;1;50\a",
    "\033]10;?\a",
    "\033]11;#ff0000\a",
    "\033]12;red\a",
    "\033]52;c;ZXZpbA==\a",
    "\033]52;c;?\a",
    "\033]104\a",
    "\033]133;A\a",
    "\033]133;D;1\a",
    "\033]777;notify;a;b\a",
    "\033]1337;File=inline=1:QUFB\a",
    "\033]1337;SetMark\a",
    "\033]50;font\a",
    "\033]99;i=1;x\033\\",
    "\033]5522;x\a",
    // DCS, APC, PM, SOS
    "\033P$qm\033\\",
    "\033P+q544e\033\\",
    "\033Pq#0;2;0;0;0#0~~\033\\",
    "\033P1000p",
    "\033_Ga=T,f=24;QUFB\033\\",
    "\033^private\033\\",
    "\033Xstring\033\\",
    "\033ktitle\033\\",
    "\033Ptmux;\033\033]52;c;QQ==\a\033\\",
    // CSI: moving, erasing, modes, reports, colours, scrolling, windows
    "\033[2J",
    "\033[3J",
    "\033[H",
    "\033[1;1H",
    "\033[10A",
    "\033[5C",
    "\033[K",
    "\033[J",
    "\033[L",
    "\033[M",
    "\033[P",
    "\033[@",
    "\033[S",
    "\033[T",
    "\033[1;5r",
    "\033[s",
    "\033[u",
    "\033[6n",
    "\033[5n",
    "\033[c",
    "\033[>c",
    "\033[=c",
    "\033[>q",
    "\033[?1049h",
    "\033[?47h",
    "\033[?25l",
    "\033[?2004l",
    "\033[?1000h",
    "\033[?1003h",
    "\033[?1006h",
    "\033[?2026h",
    "\033[?7l",
    "\033[4h",
    "\033[20h",
    "\033[31m",
    "\033[0m",
    "\033[m",
    "\033[8m",
    "\033[38;2;1;2;3m",
    "\033[48;5;1m",
    "\033[1;31;42m",
    "\033[7m",
    "\033[21t",
    "\033[18t",
    "\033[8;1;1t",
    "\033[3;0;0t",
    "\033[22;0t",
    "\033[!p",
    "\033[ q",
    "\033[1$r",
    "\033[?6$p",
    "\033[>4;2m",
    "\033[>1u",
    "\033[?u",
    "\033[0x",
    "\033[1;2'z",
    "\033[12l",
    "\033[i",
    "\033[5i",
    "\033[4i",
    // two-byte escapes and shifts
    "\033c",
    "\0337",
    "\0338",
    "\033D",
    "\033E",
    "\033M",
    "\033H",
    "\033Z",
    "\033=",
    "\033>",
    "\033N",
    "\033O",
    "\033n",
    "\033o",
    "\033(0",
    "\033)B",
    "\033#8",
    "\033%G",
    "\033%@",
    "\033 F",
    "\033l",
    "\033|",
    "\033}",
    "\033~",
    "\033\033",
    "\033",
    // unterminated
    "\033]0;never ends",
    "\033P never ends",
    "\033_ never",
    "\033[",
    "\033[1;",
    "\033]8;;https://x",
    "\033]52;c;",
    "\033[?",
    "\033(",
    // controls
    "\a",
    "\b\b\b",
    "\x0E",
    "\x0F",
    "\x05",
    "\x7F",
    "\v",
    "\f",
    "\rover",
    "a\rb\rc",
    "\x18",
    "\x1A",
    "\x1C\x1D\x1E\x1F",
    "\x01\x02\x03\x04",
    "\x11\x13",
    // C1, as bytes and as UTF-8
    "\x9B"
    "31m",
    "\x9D"
    "0;t\x9C",
    "\x90q\x9C",
    "\x9E\x9F\x98",
    "\x84\x85\x88\x8D",
    "\x9B"
    "2J",
    "\u009B31m",
    "\u009D0;t\u009C",
    "\u0090q\u009C",
    "\u0085",
    "\u008D",
    "\u009B6n",
    "\u0080\u009F",
    // directions, invisible things, piles
    "\u202Etxt.exe",
    "\u202D\u202A\u202B\u202C",
    "\u2066\u2067\u2068\u2069",
    "\u200E\u200F\u061C",
    "\u2028\u2029",
    "\uFEFF",
    "\uFFF9a\uFFFAb\uFFFB",
    "\U000E0041\U000E0042\U000E007F",
    "\u180E",
    "\u206A\u206F",
    "Z\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030A\u030B\u030C\u030D\u030E",
    // malformed UTF-8
    "\xC0\x9B",
    "\xE0\x80\x9B",
    "\xF0\x80\x80\x9B",
    "\xED\xA0\x80",
    "\xF4\x90\x80\x80",
    "\xFF\xFE",
    "\xC2",
    "\xE2\x82",
    "\xF0\x9F\x98",
    "\xC2\033[2J",
    "\xE2\x82\033]0;x\a",
    "\x80\x81",
};

// Where a sequence can hide.
std::string wrapped(std::string_view text, std::size_t way) {
  const std::string inner(text);
  switch (way) {
    case 0: return inner;
    case 1: return "before " + inner + " after";
    case 2: return "[link](https://x.org/" + inner + ")";
    case 3: return "**bold " + inner + "** `code " + inner + "`";
    case 4: return "```cpp\nint x; // " + inner + "\n```\n" + inner;
    default:
      return "| a | b |\n|---|---|\n| " + inner + " | <https://a.b/" + inner + "> |\n\n> " + inner;
  }
}

struct Range {
  char32_t first, last;
};
constexpr Range forbidden[] = {
    {0, 8},           {0x0B, 0x1F},     {0x7F, 0x9F},       {0x61C, 0x61C},
    {0x180E, 0x180E}, {0x200E, 0x200F}, {0x2028, 0x202E},   {0x2066, 0x206F},
    {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
};

std::u32string points_of(std::string_view utf8) {
  std::u32string out;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t point = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    for (std::size_t k = 1; k < length; ++k)
      point = point << 6 | (static_cast<unsigned char>(utf8[i + k]) & 0x3Fu);
    out += point;
    i += length;
  }
  return out;
}

bool is_forbidden(char32_t c) {
  return std::ranges::any_of(forbidden, [=](Range r) { return c >= r.first && c <= r.last; });
}

}  // namespace

std::vector<std::string> hostile_texts() {
  std::vector<std::string> out;
  for (std::size_t way = 0; way < 6; ++way)
    for (const std::string_view each : sequences) out.push_back(wrapped(each, way));
  std::mt19937 random(4);
  for (int i = 0; i < 100; ++i) {  // mixtures, and bytes by chance
    std::string text;
    for (int k = 0; k < 6; ++k) {
      text += sequences[random() % std::size(sequences)];
      text += static_cast<char>(random() % 256);
    }
    out.push_back(text);
  }
  out.emplace_back("\0nul\0", 5);
  return out;
}

std::string defanged(std::string_view text) {
  std::string whole = valid_utf8(text), out;
  for (std::size_t at; (at = whole.find("\r\n")) != std::string::npos;) whole.erase(at, 1);
  std::size_t i = 0, marks = 0;
  for (const char32_t c : points_of(whole)) {
    const std::size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    std::array<char, 16> code{};
    std::snprintf(code.data(), code.size(), "<U+%04X>", static_cast<unsigned>(c));
    const bool mark = c >= 0x300 && c <= 0x36F;
    marks = mark ? marks + 1 : 0;
    if (c < 0x20 && c != '\n' && c != '\t')
      out += "\xE2\x90", out += static_cast<char>(0x80 + c);
    else if (c == 0x7F)
      out += "\xE2\x90\xA1";
    else if (is_forbidden(c) || marks > 8)
      out += code.data();
    else
      out += whole.substr(i, length);
    i += length;
  }
  return out;
}

namespace {

// Style and colour, erasing downward, moving the cursor a little.
bool is_our_control(std::string_view parameters, char final) {
  if (final == 'J') return parameters.empty();
  if (final == 'A' || final == 'C')
    return !parameters.empty() && parameters.size() <= 3 &&
           parameters.find(';') == std::string_view::npos;
  if (final != 'm') return false;
  constexpr std::string_view styles[] = {"1",  "2",  "3",  "4",  "9", "31",
                                         "32", "33", "34", "35", "36"};
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(';'), parameters.size());
    if (std::ranges::find(styles, parameters.substr(0, end)) == std::end(styles)) return false;
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return true;
}

bool is_our_link(std::string_view target) {
  if (target.empty()) return true;
  const auto harmless_in_a_link = [](char c) {
    return c >= '!' && c <= '~' &&
           std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
  };
  for (const std::string_view scheme : {"https://", "http://", "mailto:"})
    if (target.starts_with(scheme))
      return target.size() > scheme.size() && std::ranges::all_of(target, harmless_in_a_link);
  return false;
}

// How many bytes at the start of `text` are an escape sequence we may send; 0: none.
std::size_t our_escape(std::string_view text) {
  constexpr std::string_view link = "\033]8;;";
  if (text.starts_with("\033[")) {
    const std::size_t final = text.find_first_not_of("0123456789;", 2);
    return final != text.npos && is_our_control(text.substr(2, final - 2), text[final]) ? final + 1
                                                                                        : 0;
  }
  if (!text.starts_with(link)) return 0;
  const std::size_t end = text.find("\033\\", link.size());
  return end != text.npos && is_our_link(text.substr(link.size(), end - link.size())) ? end + 2 : 0;
}

}  // namespace

std::string complaint_about(std::string_view sent) {
  std::string text;
  for (std::size_t at = 0; at < sent.size();) {
    const std::size_t escape = std::min(sent.find('\033', at), sent.size());
    text += sent.substr(at, escape - at);
    at = escape;
    if (at == sent.size()) break;
    const std::size_t length = our_escape(sent.substr(at, 4096));
    if (length == 0) return "an escape that is not ours at byte " + std::to_string(at);
    at += length;
    text += ' ';
  }
  if (!is_valid_utf8(text)) return "not UTF-8";
  for (const char32_t c : points_of(text))
    if (is_forbidden(c) && c != '\r') return "U+" + std::to_string(static_cast<unsigned>(c));
  // The cursor goes back to the left only to erase the line that lives.
  for (std::size_t at = 0; (at = sent.find('\r', at)) != std::string_view::npos; ++at) {
    const std::string_view after = sent.substr(at + 1, 12);
    if (!after.starts_with("\033[J") &&
        !(after.starts_with("\033[") && after.find("A\033[J") != after.npos) &&
        !after.starts_with(' ') && !(at > 0 && sent[at - 1] == ' '))
      return "a return that erases nothing";
  }
  return "";
}

}  // namespace skein::test
