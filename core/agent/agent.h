// The loop: a prompt becomes saved entries, model calls and tool calls, until the model is done.
// ModelCaller asks the model, PermissionGate the user; what either brings is saved, then shown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/agent/hook_points.h"
#include "core/agent/kept_files.h"
#include "core/agent/model_caller.h"
#include "core/agent/nearby_instructions.h"
#include "core/agent/permission_gate.h"
#include "core/agent/plan_mode.h"
#include "core/agent/surroundings.h"
#include "core/agent/turn.h"

namespace skein::agent {

class Agent {
 public:
  using Parts = agent::Parts;
  using Settings = agent::Settings;

  explicit Agent(Parts parts) : parts_(std::move(parts)) {}
  Agent(const Agent&) = delete;  // what asks the model and the user refers to parts_

  // A message to be answered.
  struct Prompt {
    model::Message message;
    JsonText meta{};                   // of its entry
    std::vector<std::string> lends{};  // rules that hold until it is answered; see ToolOutcome

    Prompt(model::Message said) : message(std::move(said)) {}
    Prompt(model::Message said, JsonText about, std::vector<std::string> rules)
        : message(std::move(said)), meta(std::move(about)), lends(std::move(rules)) {}
  };
  // One prompt, to its end. Throws Error only if the session cannot be written.
  TurnEnd run_turn(Conversation& conversation, const Prompt& prompt, Settings& settings,
                   const model::Ports& ports);
  // Continues without a prompt where a turn stopped or crashed. If the path ends in an answer, a
  // message of our own asks the model to go on, since many services refuse a request that ends in
  // one.
  TurnEnd go_on(Conversation& conversation, Settings& settings, const model::Ports& ports);

  // A command that stands in a text of the user's own, which lends it rules: judged, asked about
  // and run as if the model had called it, but not recorded.
  struct OwnRun {
    bool run = false;
    std::string text{};  // what it printed, or why it was not run
    int status = 0;
  };
  OwnRun run_own(const std::string& command, const std::vector<std::string>& lends,
                 permission::Rules rules, const model::Ports& ports);

  // A message that needs no answer: something the user did, for the model to read with the next
  // prompt.
  void note(Conversation& conversation, const std::string& text, Settings& settings,
            const model::Ports& ports);
  // The same, for one that was made elsewhere and may set something.
  void note(Conversation& conversation, model::Entry note, Settings& settings,
            const model::Ports& ports);
  // A question beside the conversation, and what the model answered. It is kept as an entry that is
  // on no path; the answer that comes back is none.
  model::Message ask_aside(Conversation& conversation, const std::string& question,
                           Settings& settings, const model::Ports& ports);
  // See ModelCaller.
  context::BuiltContext context(Conversation& conversation, const Settings& settings) {
    return models_.context(conversation, settings);
  }
  Compacted compact(Conversation& conversation, const std::string& focus, const Settings& settings,
                    const model::Ports& ports);
  // For what happens outside of a turn.
  HookPoints& hooks() { return hooks_; }

  // Answers the calls a crash left without a result and says how many. Calls that only read may be
  // run again if the user agrees; a question to the user is asked again; calls that change
  // something are never run again. While another process is working in the session, its calls are
  // left to it.
  struct Recovery {
    std::size_t calls = 0;
    std::string anew{};  // see TurnEnd
    JsonText anew_meta{};
  };
  Recovery recover(Conversation& conversation, Settings& settings, const model::Ports& ports);
  std::size_t recover(Conversation& conversation, const model::Ports& ports,
                      const permission::Rules& rules = {});
  // Whether a turn ended in a crash or an error before the model had answered, and no other process
  // is working on it.
  bool lacks_answer(const Conversation& conversation, const model::Ports& ports);

 private:
  // Entries for what has changed since the session last recorded it: system prompt, tools, model.
  std::vector<model::Entry> changed_surroundings(const Turn& turn);
  std::vector<model::Entry> closed_calls(const Turn& turn) const;
  std::vector<model::Entry> arrived(const Turn& turn) const;  // see Inbox
  void take_in_arrived(Turn& turn);
  store::SessionLease hold(Id session);  // null: not available now
  store::Result<store::SessionLease> hold_alone(Id session, const model::Ports& ports);
  TurnEnd loop(Turn& turn);
  void ask_and_run(Turn& turn);
  bool run_calls(Turn& turn, const model::Message& reply);
  void refuse_calls(Turn& turn, std::span<const model::ToolUse* const> calls);
  static bool may_try_again(Turn& turn, const model::Message& reply);
  model::ToolOutcome run_call(Turn& turn, const model::ToolUse& call);
  model::ToolOutcome run_again(Turn& turn, const model::ToolUse& call);
  void run_together(Turn& turn, std::span<const model::ToolUse* const> calls);
  void conclude(Turn& turn, const model::Tool& tool, const model::ToolUse& call,
                const PermissionGate::Permission& permission, model::ToolOutcome& outcome);
  void follow_decision(Turn& turn, const model::ToolOutcome& outcome);
  void lend(Turn& turn, const std::vector<std::string>& rules) const;
  static void take_back_lent(Turn& turn);
  static bool was_said(const Conversation& conversation, std::string_view text);
  struct Execution {
    const model::Ports& ports;
    const permission::Rules& rules;
    std::optional<std::string> judged{};  // see ToolPorts
    Turn* turn = nullptr;                 // that it is part of; may be none
  };
  model::ToolPorts tool_ports(const model::Tool& tool, const model::ToolUse& call,
                              const Execution& how) const;
  model::ToolOutcome execute(const model::Tool& tool, const model::ToolUse& call,
                             const Execution& how);
  void answer(Turn& turn, const model::ToolUse& call, const model::ToolOutcome& outcome);
  model::Entry result_entry(const model::ToolUse& call, const model::ToolOutcome& outcome,
                            const std::string& run_id) const;
  void keep_unfinished(Conversation& conversation, const model::Ports& ports);
  model::Entry entry_for(const model::Message& message, const std::string& run_id) const;

  Parts parts_;
  Surroundings surroundings_{parts_};
  HookPoints hooks_{parts_};
  ModelCaller models_{parts_, surroundings_, hooks_};
  PermissionGate gate_{parts_, hooks_};
  PlanMode plan_mode_{parts_};
  NearbyInstructions nearby_{parts_};
  KeptFiles files_{parts_};
};

}  // namespace skein::agent
