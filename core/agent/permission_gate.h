// Decides whether a tool call is run: by the rules, or by asking the user, who may also rewrite it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/agent/turn.h"

namespace skein::agent {

class PermissionGate {
 public:
  struct Permission {
    bool given = false;
    std::string note{};                  // for the model: why not, or how the user changed the call
    std::optional<std::string> place{};  // what was judged, see permission::Decision
  };

  // `parts` must outlive this.
  explicit PermissionGate(const Parts& parts) : parts_(parts) {}

  // Changes `call` if the user does.
  Permission judge(Turn& turn, const model::Tool& tool, model::ToolUse& call);

 private:
  Permission ask_user(Turn& turn, const model::Tool& tool, model::ToolUse& call,
                      permission::Decision decision) const;
  void keep_rules(Turn& turn, const std::vector<permission::Rule>& given) const;

  const Parts& parts_;
  bool told_of_sandbox_ = false;
};

}  // namespace skein::agent
