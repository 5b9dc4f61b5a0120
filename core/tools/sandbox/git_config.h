// git's configuration as far as it matters to a guard: which of it can make git run something or
// read elsewhere, and which files it names. Only a plain form is understood, the one git itself
// writes; whatever is not in that form counts as dangerous.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skein::tools::sandbox {

// Whether a path that a configuration names stays where a command may write anyway.
using StaysInside = std::function<bool(std::string_view path)>;

// Whether two texts differ in nothing but settings that name, describe and count: user.name, a
// remote's address, a branch's upstream.
bool harmless_change(std::string_view before, std::string_view now, const StaysInside& inside);

// A configuration with the harmless settings of `text` and no others.
std::string harmless_part(std::string_view text, const StaysInside& inside);

// The files that the text names, wherever and however they are written.
struct NamedFiles {
  std::vector<std::string> hook_folders{};  // core.hooksPath
  std::vector<std::string> includes{};      // include.path, includeIf.*.path
};
NamedFiles files_named_in(std::string_view text);

}  // namespace skein::tools::sandbox
