// What of a Markdown text is said, and what it points to: comments are not said, and code imports
// nothing. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein::instructions {

// Without the HTML comments that begin a line, except in fenced code. One that is never closed
// reaches to the end, as in every reader of Markdown.
std::string without_comments(std::string_view text);

// The words after an `@` that begins a line or follows a blank, outside of code, each once, in
// order: what may be the path of another file.
std::vector<std::string> mentions_in(std::string_view text);

}  // namespace skein::instructions
