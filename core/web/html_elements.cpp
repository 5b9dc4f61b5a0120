#include "core/web/html_elements.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/text/text.h"

namespace skein::web {

namespace {

struct Row {
  std::string_view name;
  Element element;
};
// Sorted by name.
constexpr auto rows = [] {
  using enum Element;
  return std::to_array<Row>({
      {"a", link},           {"address", block},  {"article", article}, {"aside", furniture},
      {"audio", dropped},    {"b", strong},       {"base", base},       {"blockquote", quote},
      {"br", line_break},    {"button", dropped}, {"canvas", dropped},  {"caption", block},
      {"center", block},     {"code", code},      {"dd", definition},   {"details", block},
      {"dialog", dropped},   {"div", block},      {"dl", block},        {"dt", term},
      {"em", emphasis},      {"embed", dropped},  {"fieldset", block},  {"figcaption", block},
      {"figure", block},     {"footer", frame},   {"form", furniture},  {"h1", heading},
      {"h2", heading},       {"h3", heading},     {"h4", heading},      {"h5", heading},
      {"h6", heading},       {"header", frame},   {"hgroup", block},    {"hr", rule},
      {"i", emphasis},       {"iframe", dropped}, {"img", image},       {"input", dropped},
      {"kbd", code},         {"li", item},        {"main", main},       {"menu", list},
      {"meta", meta},        {"nav", furniture},  {"noembed", dropped}, {"noframes", dropped},
      {"noscript", dropped}, {"object", dropped}, {"ol", ordered_list}, {"p", paragraph},
      {"pre", preformatted}, {"samp", code},      {"script", dropped},  {"section", block},
      {"select", dropped},   {"strong", strong},  {"style", dropped},   {"summary", block},
      {"svg", dropped},      {"table", table},    {"td", table_cell},   {"template", dropped},
      {"textarea", dropped}, {"th", table_cell},  {"time", time},       {"title", title},
      {"tr", table_row},     {"tt", code},        {"ul", list},         {"video", dropped},
      {"xmp", preformatted},
  });
}();
static_assert(std::ranges::is_sorted(rows, {}, &Row::name));

}  // namespace

Element element_named(std::string_view name) {
  const auto found = std::ranges::lower_bound(rows, name, {}, &Row::name);
  return found != std::end(rows) && found->name == name ? found->element : Element::other;
}

bool is_void(std::string_view name) {
  return has_word("area base br col embed hr img input link meta param source track wbr", name);
}

bool is_block(Element element) {
  using enum Element;
  constexpr Element inlines[] = {other, code, strong, emphasis, link,    image,
                                 title, meta, base,   time,     dropped, line_break};
  return std::ranges::find(inlines, element) == std::end(inlines);
}

bool hides_itself(const HtmlToken& tag) {
  if (tag.has("hidden") || lower(tag.attribute("aria-hidden")) == "true") return true;
  std::string style;
  for (const char c : lower(tag.attribute("style")))
    if (!is_blank(c)) style += c;
  return style.find("display:none") != std::string::npos ||
         style.find("visibility:hidden") != std::string::npos;
}

std::string code_language(const HtmlToken& tag) {
  for (const std::string_view word : split(tag.attribute("class"), ' '))
    for (const std::string_view start : {"language-", "lang-", "highlight-source-"})
      if (word.starts_with(start) && word.size() < 40) {
        const std::string_view name = word.substr(start.size());
        if (name.find_first_of("`\n") == std::string_view::npos) return std::string(name);
      }
  return {};
}

}  // namespace skein::web
