// HTML as a sequence of tags and texts, with entities resolved, and what its elements mean for
// Markdown. Accepts any bytes, in linear time.
#pragma once

#include "core/text/std.h"

namespace skein::web {

inline bool is_blank(char c) {
  return std::string_view(" \t\r\n\f").find(c) != std::string_view::npos;
}

struct HtmlToken {
  enum class Kind { text, start, end } kind = Kind::text;
  std::string name{};  // of a tag, in lower case
  std::string text{};  // with its entities resolved
  std::vector<std::pair<std::string, std::string>> attributes{};

  // Empty: there is none, or it is empty.
  std::string_view attribute(std::string_view wanted) const;
  bool has(std::string_view wanted) const;
};

class HtmlTokens {
 public:
  explicit HtmlTokens(std::string_view html) : rest_(html) {}  // which must outlive this

  bool next(HtmlToken& token);  // false: there are no more

 private:
  bool take_text(HtmlToken& token, std::size_t length);
  bool skip_markup();
  void take_tag(HtmlToken& token);
  void take_attribute(HtmlToken& token);
  void skip(std::string_view what);

  std::string_view rest_;
  std::string raw_{};  // the element we are in whose content holds no tags: script, title
};

// Unknown ones stay as they are written.
std::string without_entities(std::string_view text);

// What the elements of HTML mean when a page becomes Markdown.
enum class Element : std::uint8_t {
  other,  // of no meaning here: its content is all that counts
  block,  // is on its own lines: div, section
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

// It says itself that its content is hidden.
bool hides_itself(const HtmlToken& tag);
// What "language-cpp" and "lang-cpp" in its class say of the code in it; empty: nothing.
std::string code_language(const HtmlToken& tag);

}  // namespace skein::web
