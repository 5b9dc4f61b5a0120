// A Markdown file that somebody else may have written: read whole or not at all, never more than a
// megabyte, never a device or a pipe.
#pragma once

#include <string>
#include <string_view>

#include "core/project/front_matter.h"

namespace skein::project {

struct MarkdownFile {
  std::string text{};
  FrontMatter front{};
  std::string refusal{};  // why there is nothing; with the line, if it is about one

  std::string_view body() const { return std::string_view(text).substr(front.body); }
  // Its first paragraph of words in one line: headings, fences and comments are none.
  std::string first_paragraph() const;
};

std::string in_one_line(std::string_view text);

MarkdownFile read_markdown(const std::string& path);

}  // namespace skein::project
