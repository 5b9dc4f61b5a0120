#include "core/tool.h"

#include <algorithm>

namespace skein {

ToolOutcome tool_text(std::string text) { return {{Text{std::move(text)}}}; }

ToolOutcome tool_failure(std::string text) { return {{Text{std::move(text)}}, true}; }

const Tool* find_tool(const Tools& tools, std::string_view name) {
  const auto found = std::ranges::find(tools, name, &Tool::name);
  return found == tools.end() ? nullptr : &*found;
}

}  // namespace skein
