// What the elements of HTML mean to whoever turns a page into Markdown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/web/html_tokens.h"

namespace skein::web {

enum class Element : std::uint8_t {
  other,  // of no meaning here: its content is all that counts
  block,  // stands on lines of its own: div, section
  paragraph,
  heading,
  list,
  ordered_list,
  item,
  quote,
  preformatted,
  code,
  strong,
  emphasis,
  link,
  image,
  line_break,
  rule,
  table,
  table_row,
  table_cell,
  term,
  definition,
  main,
  article,
  title,
  meta,
  base,
  time,
  dropped,    // never shown: script, svg
  furniture,  // what is around the content: nav, footer; dropped unless nothing else is there
  frame,      // header and footer, which within an article belong to it
};

Element element_named(std::string_view name);

// It has no end tag: <br>, <img>.
bool is_void(std::string_view name);
// Whether it ends a paragraph that is open.
bool is_block(Element element);

// It says itself that nobody is to see what is in it.
bool hides_itself(const HtmlToken& tag);
// What "language-cpp" and "lang-cpp" in its class say of the code in it; empty: nothing.
std::string code_language(const HtmlToken& tag);

}  // namespace skein::web
