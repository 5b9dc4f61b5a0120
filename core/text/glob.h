// Names against patterns, as gitignore files and rules write them. Pure.
#pragma once

#include <string_view>

namespace skein {

// `*` and `?` match anything but a slash, `**` between slashes (or at an end) any number of
// folders, `[a-z]`, `[!a-z]` and `[[:alpha:]]` one of a set, `\` takes the next character as it is.
// At most linear in pattern × text, whatever the pattern.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace skein
