// What a program that drives skein brings: hooks and MCP servers that it runs itself.
#pragma once

#include "core/hooks/definition.h"
#include "core/mcp/channel.h"

namespace skein::app {

struct ClientParts {
  std::vector<hooks::HookDefinition> hooks{};
  std::vector<std::string> servers{};  // by name
  mcp::OpenChannel open_server{};
};

}  // namespace skein::app
