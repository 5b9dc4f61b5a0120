// The code blocks of a Markdown text, as they would be pasted: without fences, quote marks and the
// indent of a list around them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein::screen::markdown {

std::vector<std::string> code_blocks(std::string_view text);

}  // namespace skein::screen::markdown
