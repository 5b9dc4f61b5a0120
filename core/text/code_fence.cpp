#include "core/text/code_fence.h"

#include <algorithm>

namespace skein {

std::string fenced(std::string_view text, std::string_view language) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const bool ended = text.empty() || text.back() == '\n';
  return fence + std::string(language) + "\n" + std::string(text) + (ended ? "" : "\n") + fence +
         "\n";
}

}  // namespace skein
