// A server's resources, which the model reaches by two tools of ours in the server's name:
// mcp__SERVER__list_resources and mcp__SERVER__read_resource. They ask like all of its tools.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/mcp/client.h"
#include "core/model/tool.h"

namespace skein::mcp {

// `client` must outlive them.
model::Tools resource_tools(Client& client);

// One resource, as a call of the second tool would bring it.
model::ToolOutcome read_resource(Client& client, const std::string& uri,
                                 const model::ToolPorts& ports);

}  // namespace skein::mcp
