// A server that runs here: a line on its standard input or output is a message.
#pragma once

#include "core/mcp/channel.h"

namespace skein::mcp {

// What such servers are started in.
struct ServerSurroundings {
  std::vector<std::string> environment{};  // of skein itself
  std::string workspace{}, home{};
};
std::unique_ptr<Channel> open_stdio_channel(const ServerEntry& entry,
                                            const ServerSurroundings& around,
                                            Channel::Events events);

}  // namespace skein::mcp
