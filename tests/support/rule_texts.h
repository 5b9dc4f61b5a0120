// Rules as they are written for the tools there are.
#pragma once

#include <string_view>
#include <vector>

#include "core/permission/policy.h"
#include "core/tools/tools.h"

namespace skein::test {

inline std::vector<permission::Rule> parse_rules(std::string_view text) {
  return skein::permission::parse_rules(text, tools::tool_table());
}
inline std::vector<permission::Rule> parse_allow_rules(std::string_view text) {
  return skein::permission::parse_allow_rules(text, tools::tool_table());
}

inline model::Tools bash_only() { return {*model::find_tool(tools::tool_table(), "bash")}; }

}  // namespace skein::test
