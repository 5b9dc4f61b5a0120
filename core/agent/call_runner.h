// Runs the calls of an answer: each is judged, run if it is permitted, and answered with a result
// that is saved.
#pragma once

#include "core/agent/hook_points.h"
#include "core/agent/permission_gate.h"
#include "core/agent/prompt_context.h"
#include "core/agent/turn.h"

namespace skein::agent {

class CallRunner {
 public:
  // All must outlive this.
  CallRunner(const Parts& parts, PromptContext& context, HookPoints& hooks)
      : parts_(parts), context_(context), hooks_(hooks), gate_(parts, hooks) {}

  // Every call is answered, whatever happens: a transcript with an open call is refused by every
  // provider. True if the model should be asked again.
  bool run(Turn& turn, const model::Message& reply);

  // A command in one of the user's own texts, which may bring temporary rules for it: judged,
  // asked about and run as if the model had called it, but not recorded.
  struct OwnRun {
    bool run = false;
    std::string text{};  // what it printed, or why it was not run
    int status = 0;
  };
  OwnRun run_own(const std::string& command, const std::vector<std::string>& temporary_rules,
                 permission::Rules rules, const model::Ports& ports);

  // Runs a call that was already judged. `place`: see PermissionGate::Permission.
  model::ToolOutcome run_permitted(Turn& turn, const model::Tool& tool, const model::ToolUse& call,
                                   const std::optional<std::string>& place);
  // Saves what came of a call.
  void answer(Turn& turn, const model::ToolUse& call, const model::ToolOutcome& outcome);
  model::Entry result_entry(const model::ToolUse& call, const model::ToolOutcome& outcome,
                            const std::string& run_id) const;
  // They are allowed until the turn ends. Informs the user of those that cannot be read.
  void add_temporary_rules(Turn& turn, const std::vector<std::string>& rules) const;

 private:
  struct JudgedCall {
    const model::Tool& tool;
    model::ToolUse call;  // as it was agreed on
    PermissionGate::Permission permission{};
  };

  void refuse_calls(Turn& turn, std::span<const model::ToolUse* const> calls);
  model::ToolOutcome run_call(Turn& turn, const model::ToolUse& call);
  void run_together(Turn& turn, std::span<const model::ToolUse* const> calls);
  JudgedCall judge(Turn& turn, const model::Tool& tool, const model::ToolUse& call);
  model::ToolOutcome run_judged(Turn& turn, const JudgedCall& judged);
  model::ToolOutcome conclude(Turn& turn, const JudgedCall& judged, model::ToolOutcome outcome);

  const Parts& parts_;
  PromptContext& context_;
  HookPoints& hooks_;
  PermissionGate gate_;
};

}  // namespace skein::agent
