// Rules as they are written for the tools there are.
#pragma once

#include <string_view>
#include <vector>

#include "core/policy.h"
#include "core/tools/tools.h"

namespace skein::test {

inline std::vector<Rule> parse_rules(std::string_view text) {
  return skein::parse_rules(text, tool_table());
}
inline std::vector<Rule> parse_allow_rules(std::string_view text) {
  return skein::parse_allow_rules(text, tool_table());
}

inline Tools bash_only() { return {*find_tool(tool_table(), "bash")}; }

}  // namespace skein::test
