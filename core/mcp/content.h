// What a server answered to a call, as the model gets it: text up to a limit, images that models
// take, and everything else as a blob with its name. For .cpp files only.
#pragma once

#include "core/model/tool.h"
#include "core/text/json.h"

namespace skein::mcp {

inline constexpr std::size_t most_result_bytes = 100'000;  // about 25,000 tokens

model::ToolOutcome outcome_of(const Json& result, const model::ToolPorts& ports);

}  // namespace skein::mcp
