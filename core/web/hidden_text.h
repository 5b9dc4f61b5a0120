// Text that a person does not see but a model reads: the usual way to smuggle orders into a page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skein::web {

struct Visible {
  std::string text;
  std::size_t removed = 0;  // characters
};

// Without control characters (but for newlines and tabs), tags (U+E0000 to U+E007F), characters
// that turn the reading direction, and runs of more than three that take no room. `text` is UTF-8.
Visible without_hidden(std::string_view text);

}  // namespace skein::web
