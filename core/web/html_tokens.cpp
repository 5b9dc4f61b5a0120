#include "core/web/html_tokens.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/text/text.h"
#include "core/web/entities.h"

namespace skein::web {

namespace {

constexpr std::string_view blanks = " \t\r\n\f";
constexpr std::size_t most_attributes = 64;

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool holds_no_tags(std::string_view name) {
  return has_word("script style title textarea xmp iframe noembed noframes", name);
}

// Where "</name" stands; the end of the text: nowhere.
std::size_t closing_tag(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find("</"); at != std::string_view::npos; at = text.find("</", at + 2))
    if (lower(text.substr(at + 2, name.size())) == name) return at;
  return text.size();
}

}  // namespace

std::string_view HtmlToken::attribute(std::string_view wanted) const {
  for (const auto& [each, value] : attributes)
    if (each == wanted) return value;
  return {};
}

bool HtmlToken::has(std::string_view wanted) const {
  return std::ranges::any_of(attributes, [&](const auto& each) { return each.first == wanted; });
}

bool HtmlTokens::take_text(HtmlToken& token, std::size_t length) {
  token.kind = HtmlToken::Kind::text;
  token.text = without_entities(rest_.substr(0, length));
  rest_.remove_prefix(length);
  return true;
}

void HtmlTokens::skip(std::string_view what) {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(what), rest_.size()));
}

// Comments, <!doctype …>, <?xml …?>, </3>: nothing of these is said to anyone.
bool HtmlTokens::skip_markup() {
  const auto skip_behind = [&](std::string_view end) {
    const std::size_t at = rest_.find(end);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
    return true;
  };
  if (rest_.starts_with("<!-->") || rest_.starts_with("<!--->")) return skip_behind(">");
  if (rest_.starts_with("<!--")) return skip_behind("-->");
  if (rest_.starts_with("<![CDATA[")) return skip_behind("]]>");
  const bool other = rest_.starts_with("<!") || rest_.starts_with("<?") ||
                     (rest_.starts_with("</") && rest_.size() > 2 && !begins_name(rest_[2]));
  return other && skip_behind(">");
}

void HtmlTokens::take_attribute(HtmlToken& token) {
  const std::size_t name_end =
      std::min(rest_.find_first_of(" \t\r\n\f/>=", 1), rest_.size());  // a first `=` is a name
  std::string name = lower(rest_.substr(0, name_end));
  rest_.remove_prefix(name_end);
  skip(blanks);
  std::string_view value;
  if (rest_.starts_with('=')) {
    rest_.remove_prefix(1);
    skip(blanks);
    const bool quoted = rest_.starts_with('"') || rest_.starts_with('\'');
    const std::size_t from = quoted ? 1 : 0;
    const std::size_t end = std::min(
        quoted ? rest_.find(rest_[0], 1) : rest_.find_first_of(" \t\r\n\f>"), rest_.size());
    value = rest_.substr(from, end - from);
    rest_.remove_prefix(std::min(end + from, rest_.size()));
  }
  if (token.attributes.size() < most_attributes)
    token.attributes.emplace_back(std::move(name), without_entities(value));
}

void HtmlTokens::take_tag(HtmlToken& token) {
  const bool end = rest_[1] == '/';
  rest_.remove_prefix(end ? 2 : 1);
  const std::size_t name_end = std::min(rest_.find_first_of(" \t\r\n\f/>"), rest_.size());
  token.kind = end ? HtmlToken::Kind::end : HtmlToken::Kind::start;
  token.name = lower(rest_.substr(0, name_end));
  rest_.remove_prefix(name_end);
  for (;;) {
    skip(" \t\r\n\f/");
    if (rest_.empty() || rest_.starts_with('>')) break;
    take_attribute(token);
  }
  if (!rest_.empty()) rest_.remove_prefix(1);
  if (!end && holds_no_tags(token.name)) raw_ = token.name;
}

bool HtmlTokens::next(HtmlToken& token) {
  token.attributes.clear();
  token.name.clear();
  token.text.clear();
  if (!raw_.empty()) {
    const std::size_t length = closing_tag(rest_, std::exchange(raw_, {}));
    if (length > 0) return take_text(token, length);
  }
  while (!rest_.empty()) {
    const std::size_t open = rest_.find('<');
    if (open != 0) return take_text(token, std::min(open, rest_.size()));
    if (skip_markup()) continue;
    const bool tag =
        rest_.size() > 1 && (begins_name(rest_[1]) || (rest_[1] == '/' && rest_.size() > 2));
    if (!tag) return take_text(token, 1);
    take_tag(token);
    return true;
  }
  return false;
}

}  // namespace skein::web
