#include "core/web/hidden_text.h"

#include "core/text/utf8.h"

namespace skein::web {

namespace {

constexpr std::size_t longest_unseen = 3;  // emoji join with a few; more spell something

bool is_unseen(char32_t c) {
  const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0);
  const bool direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return control || direction || (c >= 0xE0000 && c <= 0xE007F);
}

bool takes_no_room(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x2060 && c <= 0x2064) || c == 0xFEFF || c == 0xAD ||
         c == 0x34F || c == 0x180E || (c >= 0xFE00 && c <= 0xFE0F) ||
         (c >= 0xE0100 && c <= 0xE01EF);
}

}  // namespace

Visible without_hidden(std::string_view text) {
  Visible out;
  out.text.reserve(text.size());
  std::size_t run = 0, run_begin = 0;  // of characters that take no room, and where they were put
  while (!text.empty()) {
    const Utf8Character c = first_character(text);
    const std::string_view bytes = text.substr(0, c.length);
    text.remove_prefix(c.length);
    if (is_unseen(c.point)) {
      // A CR LF is a newline to everyone.
      if (c.point != '\r') ++out.removed;
      continue;
    }
    if (!takes_no_room(c.point)) {
      run = 0;
    } else if (run++ == 0) {
      run_begin = out.text.size();
    } else if (run > longest_unseen) {
      out.removed += out.text.size() > run_begin ? longest_unseen + 1 : 1;
      out.text.resize(run_begin);
      continue;
    }
    out.text += bytes;
  }
  return out;
}

}  // namespace skein::web
