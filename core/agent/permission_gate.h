// Decides whether a tool call is run: by hooks and rules, or by asking the user. Hooks and the user
// may also rewrite it.
#pragma once

#include "core/agent/hook_points.h"
#include "core/agent/turn.h"

namespace skein::agent {

class PermissionGate {
 public:
  struct Permission {
    bool given = false;
    std::string note{};                  // for the model: why not, or how the call was changed
    std::optional<std::string> place{};  // what was judged, see permission::Decision
  };

  // Both must outlive this.
  PermissionGate(const Parts& parts, HookPoints& hooks) : parts_(parts), hooks_(hooks) {}

  // Changes `call` if a hook or the user does.
  Permission judge(Turn& turn, const model::Tool& tool, model::ToolUse& call);

 private:
  Permission ask(Turn& turn, const model::Tool& tool, model::ToolUse& call,
                 const permission::Decision& decision, HookPoints::Verdict hook);

  const Parts& parts_;
  HookPoints& hooks_;
  bool warned_of_sandbox_ = false;
};

}  // namespace skein::agent
