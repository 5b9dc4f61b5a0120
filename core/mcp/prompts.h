// A server's prompts, which a user calls as commands: /mcp__SERVER__PROMPT and its arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/mcp/client.h"
#include "core/model/message.h"
#include "core/model/tool.h"

namespace skein::mcp {

struct PromptCommand {
  std::string name;  // mcp__SERVER__PROMPT
  std::string description;
  std::string hint;  // "<repository> [since]"
  RemotePrompt prompt;
};

// Those that the server has listed, by name.
std::vector<PromptCommand> prompt_commands(const Client& client);

struct PromptText {
  std::string text{};
  std::vector<model::Image> images{};
};

// What the server makes of it. `words` are its arguments by position, of which the last takes all
// that is left; one that is missing is asked for. Throws Error if nothing is to be sent.
PromptText prompt_text(Client& client, const PromptCommand& command,
                       const std::vector<std::string>& words, const model::ToolPorts& ports);

}  // namespace skein::mcp
