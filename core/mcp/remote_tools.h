// What a server offers, as skein offers it: its tools to the model (names that every provider takes
// and rules can name, schemas that no provider refuses, calls that ask first), its resources by two
// tools more, its prompts as commands of the user.
#pragma once

#include "core/mcp/client.h"
#include "core/model/message.h"
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

// Two tools for its resources: mcp__SERVER__list_resources and mcp__SERVER__read_resource. They ask
// like all of its tools. `client` must outlive them.
model::Tools resource_tools(Client& client);

// One resource, as a call of the second tool would bring it.
model::ToolOutcome read_resource(Client& client, const std::string& uri,
                                 const model::ToolPorts& ports);

// A prompt that the user calls as a command: /mcp__SERVER__PROMPT and its arguments.
struct PromptCommand {
  std::string name;  // mcp__SERVER__PROMPT
  std::string description;
  std::string hint;  // "<repository> [since]"
  RemotePrompt prompt;
};

// Those that the server has listed, by name.
std::vector<PromptCommand> prompt_commands(const Client& client);

// What the server makes of it. `words` are its arguments by position, of which the last takes all
// that is left; one that is missing is asked for. Throws Error if nothing is to be sent.
model::ToolOutcome read_prompt(Client& client, const PromptCommand& command,
                               const std::vector<std::string>& words,
                               const model::ToolPorts& ports);

}  // namespace skein::mcp
