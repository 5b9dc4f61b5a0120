#include "repl/input/paste.h"

#include <algorithm>
#include <optional>

#include "core/base.h"

namespace skein {

namespace {

constexpr std::size_t most_lines = 5, most_bytes = 800;

std::size_t lines_in(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return ends + (text.ends_with('\n') ? 0 : 1);
}

std::string chip(const std::string& text, std::size_t number) {
  const std::size_t lines = lines_in(text);
  return "[Pasted text #" + std::to_string(number) +
         (lines > 1 ? " +" + std::to_string(lines) + " lines]"
                    : ", " + std::to_string(text.size()) + " bytes]");
}

}  // namespace

std::string pasted_text(std::string_view raw) {
  std::string out;
  const std::string text = valid_utf8(raw);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\r') {
      out += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    } else if (c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20) {
      if (c != 0x7F) out += c;
    }
  }
  return out;
}

bool deserves_chip(std::string_view text) {
  return text.size() > most_bytes || lines_in(text) > most_lines;
}

std::string make_chip(Draft& draft, std::string text) {
  draft.pasted.push_back(std::move(text));
  return chip(draft.pasted.back(), draft.pasted.size());
}

std::size_t chip_before(const Draft& draft, std::size_t at) {
  for (std::size_t i = 0; i < draft.pasted.size(); ++i)
    if (const std::string mark = chip(draft.pasted[i], i + 1);
        std::string_view(draft.text).substr(0, at).ends_with(mark))
      return mark.size();
  return 0;
}

std::size_t chip_after(const Draft& draft, std::size_t at) {
  for (std::size_t i = 0; i < draft.pasted.size(); ++i)
    if (const std::string mark = chip(draft.pasted[i], i + 1);
        std::string_view(draft.text).substr(at).starts_with(mark))
      return mark.size();
  return 0;
}

// Chips are looked for in the line, never in what they stand for.
std::string whole(const Draft& draft) {
  std::string out;
  for (std::size_t at = 0; at < draft.text.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < draft.pasted.size() && length == 0; ++i)
      if (const std::string mark = chip(draft.pasted[i], i + 1);
          draft.text.compare(at, mark.size(), mark) == 0) {
        length = mark.size();
        out += draft.pasted[i];
      }
    if (length == 0) {
      out += draft.text[at];
      length = 1;
    }
    at += length;
  }
  return out;
}

}  // namespace skein
