// A command line as bash has it: taken apart into words, and what is offered quoted so that bash
// reads the very text again. Nothing of it is ever run or expanded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skein::completion {

struct BashLine {
  std::vector<std::string> words{};  // without their quotes; the last is being typed
  std::string last_as_typed{};       // with them
  char open_quote = 0;               // ' or ": what is being typed stands in it
};
BashLine read_bash_line(std::string_view line);

// `text` as it stands behind `open_quote`, or without one. Nothing: it cannot be written there.
std::optional<std::string> quoted_for_bash(std::string_view text, char open_quote);

// What bash replaces is only the part of a word behind the last `:` or `=`: `replaced` is how it
// was typed. Of a candidate only that part is wanted. Nothing: what stands before it is quoted in
// another way than the candidate is.
std::optional<std::string> part_bash_replaces(const BashLine& line, std::string_view replaced,
                                              const std::string& candidate);

}  // namespace skein::completion
