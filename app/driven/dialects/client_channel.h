// An MCP server that the program that drives skein runs itself: messages are control requests.
#pragma once

#include "app/driven/control.h"
#include "core/mcp/channel.h"

namespace skein::app::driven::dialects {

// `control` must outlive the channels.
mcp::OpenChannel client_channels(Control& control);

}  // namespace skein::app::driven::dialects
