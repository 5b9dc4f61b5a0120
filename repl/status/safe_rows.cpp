#include "repl/status/safe_rows.h"

#include <algorithm>

#include "core/text/text.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/style.h"
#include "repl/layout/width.h"

namespace skein::status {

namespace {

constexpr std::size_t longest_row = 4096;     // in bytes: no terminal shows more
constexpr std::size_t longest_sequence = 64;  // of attributes

struct Escape {
  std::size_t length = 0;
  bool attributes = false;  // SGR: colours, bold and so on
};

bool is_within(char c, char first, char last) { return c >= first && c <= last; }

// The escape sequence at the start of `text`, which begins with ESC. One without an end takes all.
Escape escape_at(std::string_view text) {
  if (text.size() < 2) return {text.size()};
  if (text[1] == '[') {
    std::size_t end = 2;
    while (end < text.size() && is_within(text[end], 0x20, 0x3F)) ++end;
    if (end == text.size()) return {end};
    const bool numbers =
        text.substr(2, end - 2).find_first_not_of("0123456789;:") == std::string_view::npos;
    return {end + 1, text[end] == 'm' && numbers && end < longest_sequence};
  }
  // Strings for the terminal: OSC, DCS, SOS, PM, APC. They end with BEL or ESC backslash.
  if (std::string_view("]PX^_").find(text[1]) != std::string_view::npos) {
    const std::size_t end = text.find_first_of("\x07\x1b", 2);
    if (end == std::string_view::npos) return {text.size()};
    return {text.substr(end).starts_with("\x1b\\") ? end + 2 : text[end] == '\x07' ? end + 1 : end};
  }
  return {2};
}

Row safe_row(std::string_view line, std::size_t columns, bool colour) {
  Row row;
  bool styled = false;
  line = line.substr(0, longest_row);
  while (!line.empty()) {
    if (line.front() == '\x1b') {
      const Escape escape = escape_at(line);
      if (escape.attributes && colour) row.text += line.substr(0, escape.length), styled = true;
      line.remove_prefix(escape.length);
      continue;
    }
    const std::size_t run = std::min(line.find('\x1b'), line.size());
    const std::string text = layout::sanitized_row(line.substr(0, run));
    const std::string shown = layout::fit(text, columns - row.columns);
    row.text += shown;
    row.columns += layout::display_width(shown);
    line.remove_prefix(run);
    if (shown != text || row.columns >= columns) break;
  }
  if (styled) row.text += layout::end_of_style;
  return row;
}

}  // namespace

std::vector<Row> safe_rows(std::string_view printed, std::size_t columns, bool colour) {
  std::vector<Row> out;
  for (const std::string_view line : split(trimmed(printed, "\r\n"), '\n')) {
    if (out.size() == most_rows) break;
    out.push_back(safe_row(trimmed(line, "\r"), columns, colour));
  }
  // Blank rows would only push the prompt down.
  while (!out.empty() && out.back().columns == 0) out.pop_back();
  return out;
}

}  // namespace skein::status
