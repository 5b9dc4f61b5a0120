// git's configuration as far as it matters to a guard: what can make git run something or read
// elsewhere, and the files it names. Whatever is not in git's own plain form counts as dangerous.
#pragma once

#include "core/text/std.h"

namespace skein::sandbox {

// Whether a path that a configuration names stays where a command may write anyway.
using StaysInside = std::function<bool(std::string_view path)>;

// Whether two texts differ only in settings that name, describe and count, such as user.name.
bool harmless_change(std::string_view before, std::string_view now, const StaysInside& inside);

// A configuration with the harmless settings of `text` and no others.
std::string harmless_part(std::string_view text, const StaysInside& inside);

// The files that the text names, wherever and however they are written.
struct NamedFiles {
  std::vector<std::string> hook_folders{};  // core.hooksPath
  std::vector<std::string> includes{};      // include.path, includeIf.*.path
};
NamedFiles files_named_in(std::string_view text);

}  // namespace skein::sandbox
