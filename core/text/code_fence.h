// Text as a code block of Markdown.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// In a fence longer than any run of backticks in it; ends in a newline.
std::string fenced(std::string_view text, std::string_view language = {});

}  // namespace skein
