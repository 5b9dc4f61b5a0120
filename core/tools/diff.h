// Compares texts line by line: a unified diff, and the lines that are most like a text. Pure.
#pragma once

#include "core/text/std.h"

namespace skein::tools {

enum class Change { same, removed, added };

struct DiffLine {
  Change change;
  std::string_view text;  // without its line end
  bool operator==(const DiffLine&) const = default;
};

// The shortest edit script (Myers), as long as it has at most `max_changes` steps; beyond that the
// differing middle is removed and added as a whole, so time and memory stay bounded.
std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after,
                                 std::size_t max_changes = 1000);

// With three lines around each change, headed --- a/path and +++ b/path; empty if nothing changed.
// A missing last line end is marked as diff(1) marks it. Valid UTF-8, whatever the texts are; what
// would be longer than `longest` bytes ends with a line that says so.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view path,
                         std::size_t longest = 200'000);

// Where the model probably meant a text that is not in a file: a sentence and the lines; empty if
// nothing in `text` is like `wanted`. Bounded for texts of any size.
std::string nearest_lines(std::string_view text, std::string_view wanted);

}  // namespace skein::tools
