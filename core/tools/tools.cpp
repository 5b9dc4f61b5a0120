#include "core/tools/tools.h"

namespace skein::tools {

namespace {

model::Tools tools_in(const SharedRoot& root, const ToolSettings& settings) {
  const ToolLimits& limits = settings.limits;
  return {read_tool(root, limits), write_tool(root, limits), edit_tool(root, limits),
          list_tool(root, limits), grep_tool(root, limits),  bash_tool(root, settings)};
}

}  // namespace

model::Tools standard_tools(const ToolSettings& settings) {
  return tools_in(std::make_shared<const workspace::Root>(settings.root, settings.forbidden),
                  settings);
}

const model::Tools& tool_table() {
  static const model::Tools table = [] {
    model::Tools tools = tools_in(nullptr, {.root = {}});
    for (model::Tool& tool : tools) tool.locate = {};
    return tools;
  }();
  return table;
}

}  // namespace skein::tools
