// A server's tools as the model gets them: names that every provider takes and rules can name,
// schemas that no provider refuses, calls that ask first.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mcp/client.h"
#include "core/model/tool.h"

namespace skein::mcp {

// mcp__SERVER__TOOL in at most 64 letters that every provider takes. One that had to be changed or
// is `taken` already ends in six digits of its hash.
std::string tool_name(std::string_view server, std::string_view tool,
                      const std::set<std::string>& taken);

// The schema with what a provider would refuse at its top taken out; empty: it cannot be used.
JsonText usable_schema(const JsonText& schema);

// A hash of what a server says of a tool, for rules to remember: description-schema-annotations.
std::string definition_of(const RemoteTool& tool);

using CallServer = std::function<model::ToolOutcome(const std::string& tool, const JsonText& input,
                                                    const model::ToolPorts& ports)>;
// Those that can be used, each behind the name its server has for it; the names of others are added
// to `left_out`.
std::vector<std::pair<std::string, model::Tool>> tools_of(const std::string& server,
                                                          const std::vector<RemoteTool>& remote,
                                                          const CallServer& call,
                                                          std::vector<std::string>& left_out);

}  // namespace skein::mcp
