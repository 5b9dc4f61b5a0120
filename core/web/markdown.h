// A page of HTML as Markdown: what a reader of the page came for, without its furniture and without
// what the page hides from its readers.
#pragma once

#include <string>
#include <string_view>

#include "core/web/url.h"

namespace skein::web {

struct MarkdownPage {
  std::string title{};
  std::string date{};  // as the page states it; empty: it does not
  std::string text{};
};

// Never fails, whatever the bytes are; takes time and room in proportion to them. Links become
// absolute, from `url`.
MarkdownPage to_markdown(std::string_view html, const Url& url);

}  // namespace skein::web
