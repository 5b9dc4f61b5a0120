// Decides whether a tool call is run: by hooks and rules, or by asking the user. Hooks and the user
// may also rewrite it.
#pragma once

#include <optional>
#include <string>
#include <vector>

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
  permission::Decision decide(const Turn& turn, const model::ToolUse& call,
                              const HookPoints::Verdict& hook) const;
  Permission ask(Turn& turn, const model::Tool& tool, model::ToolUse& call,
                 const permission::Decision& decision, HookPoints::Verdict hook);
  Permission ask_user(Turn& turn, const model::Tool& tool, model::ToolUse& call,
                      permission::Decision decision, const HookPoints::Verdict& hook) const;
  void keep_rules(Turn& turn, const std::vector<permission::Rule>& given,
                  const std::string& replaced = {}) const;
  void keep_rules_here(Turn& turn, std::vector<permission::Rule> given) const;
  void pin_definition(Turn& turn, const std::string& tool) const;

  const Parts& parts_;
  HookPoints& hooks_;
  bool told_of_sandbox_ = false;
};

}  // namespace skein::agent
