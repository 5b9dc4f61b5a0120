// Tools whose schemas would fill the window: the model is given their names, looks for the ones it
// needs, and calls them through a tool that is always there, so that the list it was first given
// never changes.
#pragma once

#include "core/model/tool.h"

namespace skein::mcp {

inline constexpr std::string_view search_tool_name = "tool_search", call_tool_name = "tool_call";

// The tools that fit these words best, at most `most`; "select:a,b" names them exactly. Valid as
// long as `tools` is.
std::vector<const model::Tool*> tools_for(const model::Tools& tools, std::string_view query,
                                          std::size_t most);

// `tool_search` and `tool_call` for these tools, which are deferred.
model::Tools searching_tools(const model::Tools& deferred);

}  // namespace skein::mcp
