// Which of Anthropic's rules hold for a model, by its name. Read here once more, apart from the
// catalog: a judge does not take the defendant's word.
#pragma once

#include <string_view>

namespace skein::grammar {

bool is_claude(std::string_view model);
// A Claude model of at least this version; one whose name has no number is taken for the newest.
bool is_claude_from(std::string_view model, int major, int minor);
// It cannot be told not to think: {"type":"disabled"} is refused.
bool always_thinks(std::string_view model);

}  // namespace skein::grammar
