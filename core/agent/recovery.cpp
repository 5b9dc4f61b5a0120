#include "core/agent/recovery.h"

#include "core/agent/delta_writer.h"
#include "core/agent/plan_mode.h"
#include "core/handover/normalize.h"
#include "core/plan/presented.h"

namespace skein::agent {

std::vector<model::Entry> Recovery::closed_calls(const Turn& turn) const {
  std::vector<model::Entry> entries;
  for (const model::ToolUse& call : store::unanswered_calls(turn.conversation.path()))
    entries.push_back(calls_.result_entry(
        call, model::tool_failure(std::string(handover::interrupted_text)), turn.run_id));
  return entries;
}

bool Recovery::lacks_answer(const Conversation& conversation, const model::Ports& ports) const {
  // A summary or a new beginning may have been written inside the turn.
  const std::vector<model::Entry>& path = conversation.path();
  const auto last = std::find_if(path.rbegin(), path.rend(), [](const model::Entry& entry) {
    return entry.type == model::type::message && !model::tells_changes(entry) &&
           !model::tells_todo(entry);
  });
  const auto message = last != path.rend() ? model::message_of(*last) : std::nullopt;
  if (!message || message->role == model::Role::assistant || last->run_id.empty()) return false;
  return bool(hold_alone(conversation.session(), ports));
}

// If a process is killed while it starts a command, its child holds the lease until it has become
// that command: a lease that is taken now may be free in a moment.
store::Result<store::SessionLease> Recovery::hold_alone(Id session,
                                                        const model::Ports& ports) const {
  constexpr std::chrono::milliseconds patience{300}, step{5};
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    store::Result<store::SessionLease> outcome =
        parts_.store.presence().hold(session, store::LockMode::exclusive);
    if (outcome || outcome.error().kind != store::Failure::Kind::busy ||
        std::chrono::steady_clock::now() > end || !model::pause(ports, step))
      return outcome;
  }
}

// The saved part of an answer becomes an answer that was cut short.
void Recovery::keep_unfinished(Conversation& conversation, const model::Ports& ports) {
  if (!conversation.state().unfinished) return;
  const store::Result<store::SessionLease> alone = hold_alone(conversation.session(), ports);
  if (!alone && alone.error().kind == store::Failure::Kind::busy) return;  // it is still coming
  conversation.catch_up();
  std::optional<model::Entry> answer = unfinished_answer(parts_.store, conversation);
  if (!answer) return;
  Settings none;
  Turn turn{conversation, none, ports};
  turn.tell(
      model::Notice::Level::info,
      "skein ended during this answer; the part received so far is saved, /continue resumes it:");
  turn.commit({*std::move(answer)});
}

Recovery::Recovered Recovery::recover(Conversation& conversation, Settings& settings,
                                      const model::Ports& ports) {
  keep_unfinished(conversation, ports);
  if (store::unanswered_calls(conversation.path()).empty()) return {};
  const store::Result<store::SessionLease> alone = hold_alone(conversation.session(), ports);
  if (!alone && alone.error().kind == store::Failure::Kind::busy) {
    ports.sink(model::Notice{model::Notice::Level::info, std::string(other_at_work)});
    return {};
  }
  conversation.catch_up();  // the other process may just have finished
  Turn turn{conversation, settings, ports};
  const std::vector<model::ToolUse> open = store::unanswered_calls(conversation.path());
  for (const model::ToolUse& call : open) calls_.answer(turn, call, run_again(turn, call));
  return {open.size(), std::move(turn.end.new_branch_prompt), std::move(turn.end.new_branch_meta)};
}

// Calls that only read are run again if the user agrees; open questions are asked again.
model::ToolOutcome Recovery::run_again(Turn& turn, const model::ToolUse& call) {
  const model::Tool* tool = model::find_tool(parts_.tools, call.name);
  const permission::Rules& rules = turn.settings.rules;
  const permission::Decision decision = permission::decide(rules, parts_.tools, call);
  if (tool != nullptr && tool->delegates)
    return model::tool_failure("interrupted: skein ended before this call had a result. " +
                               (parts_.delegates != nullptr ? parts_.delegates->left_behind(
                                                                  turn.conversation.session(), call)
                                                            : ""));
  const bool harmless = tool != nullptr && tool->effect == model::Effect::reads &&
                        decision.verdict == permission::Decision::Verdict::allow;
  const bool again =
      harmless && !turn.decided &&
      (tool->asks_user ||
       (turn.ports.ask &&
        turn.ports
                .ask({"This call was interrupted before it had a result. Run it again?",
                      tool->title(call.input), ""})
                .choice != model::Answer::Choice::no));
  if (!again)
    return model::tool_failure(
        "interrupted: skein ended before this call had a result; it may have run in part");
  // A plan that waits was made in plan mode, and is decided on there.
  if (call.name == plan::present_tool && rules.mode != permission::Mode::plan &&
      PlanMode::is_known(turn.conversation.path())) {
    turn.settings.rules.mode = permission::Mode::plan;
    turn.tell(model::Notice::Level::info, "plan mode is on again: a plan waits for your approval");
  }
  return calls_.run_permitted(turn, *tool, call, decision.place);
}

}  // namespace skein::agent
