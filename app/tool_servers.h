// The MCP servers of an invocation: they start in the background, and what they bring is taken over
// when a turn begins.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/agent/parts.h"
#include "core/mcp/hub.h"
#include "core/model/attachments.h"
#include "core/model/tool.h"
#include "core/project/own_commands.h"
#include "repl/session/services.h"

namespace skein::app {

class ToolServers {
 public:
  struct Parts {
    std::string workspace{};
    bool for_script = false;                 // nobody looks at a prompt meanwhile
    std::function<std::int64_t()> window{};  // of the model that is asked first; 0: not known
  };
  void start(const std::vector<mcp::ServerEntry>& entries, Parts parts);

  // What they bring, if it is not what was taken the last time. Waits, once, for those that are
  // still starting.
  std::optional<model::Tools> take_tools(const model::Ports& ports);
  // A hash of what a server says of its tool, by our name for it; empty: there is none.
  std::string definition(const std::string& tool) const;
  void add_texts(agent::Settings& settings) const;  // what they say about their tools
  // The message that a prompt of theirs becomes; nullopt: there is none of that name.
  std::optional<project::RenderedCommand> rendered(std::string_view name,
                                                   std::string_view arguments,
                                                   const model::Ports& ports,
                                                   const model::ToolPorts& asking);
  // What SERVER:URI leads to; nullopt: nowhere.
  std::optional<model::Fetched> fetched(const std::string& name, const model::ToolPorts& asking);
  void offer(session::Services& services);

 private:
  void wait(const model::Ports& ports);

  bool for_script_ = false, waited_ = false;
  std::int64_t taken_changes_ = -1;
  std::unique_ptr<mcp::Hub> hub_{};  // null: there are none
};

}  // namespace skein::app
