#include "core/tools/tools.h"

namespace skein {

Tools standard_tools(const ToolSettings& settings) {
  const auto root = std::make_shared<const Root>(settings.root, settings.forbidden);
  const ToolLimits& limits = settings.limits;
  return {read_tool(root, limits), write_tool(root, limits), edit_tool(root, limits),
          list_tool(root, limits), grep_tool(root, limits),  bash_tool(root, settings)};
}

}  // namespace skein
