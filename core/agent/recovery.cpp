// What a crash left behind, taken up again: calls without results, an answer of which only pieces
// are there.
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "core/agent/agent.h"
#include "core/agent/other_at_work.h"
#include "core/agent/unfinished_answer.h"
#include "core/model/pause.h"
#include "core/plan/presented.h"

namespace skein::agent {

bool Agent::lacks_answer(const Conversation& conversation, const model::Ports& ports) {
  // A summary or a new beginning may have been written inside the turn.
  const std::vector<model::Entry>& path = conversation.path();
  const auto last = std::find_if(path.rbegin(), path.rend(), [](const model::Entry& entry) {
    return entry.type == model::type::message && !model::tells_changes(entry) &&
           !model::tells_todo(entry);
  });
  const auto message = last != path.rend() ? model::message_from_json(last->payload) : std::nullopt;
  if (!message || message->role == model::Role::assistant || last->run_id.empty()) return false;
  return bool(hold_alone(conversation.session(), ports));
}

// If a process is killed while it starts a command, its child holds the lease until it has become
// that command: a lease that is taken now may be free in a moment.
store::Result<store::SessionLease> Agent::hold_alone(Id session, const model::Ports& ports) {
  constexpr std::chrono::milliseconds patience{300}, step{5};
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    store::Result<store::SessionLease> outcome =
        parts_.store.hold(session, store::LockMode::exclusive);
    if (outcome || outcome.error().kind != store::Failure::Kind::busy ||
        std::chrono::steady_clock::now() > end || !model::pause(ports, step))
      return outcome;
  }
}

// What a crash left of an answer becomes an answer that was cut short.
void Agent::keep_unfinished(Conversation& conversation, const model::Ports& ports) {
  if (!conversation.state().unfinished) return;
  const store::Result<store::SessionLease> alone = hold_alone(conversation.session(), ports);
  if (!alone && alone.error().kind == store::Failure::Kind::busy) return;  // it is still coming
  conversation.catch_up();
  std::optional<model::Entry> answer = unfinished_answer(parts_.store, conversation);
  if (!answer) return;
  Settings none;
  Turn turn{conversation, none, ports};
  turn.tell(model::Notice::Level::info,
            "skein ended while this answer came; what had come is kept, /continue goes on:");
  turn.commit({*std::move(answer)});
}

std::size_t Agent::recover(Conversation& conversation, const model::Ports& ports,
                           const permission::Rules& rules) {
  Settings settings{.rules = rules};
  return recover(conversation, settings, ports).calls;
}

Agent::Recovery Agent::recover(Conversation& conversation, Settings& settings,
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
  for (const model::ToolUse& call : open) answer(turn, call, run_again(turn, call));
  return {open.size(), std::move(turn.end.anew), std::move(turn.end.anew_meta)};
}

// What only reads is run again if the user agrees; a question is asked again, for as long as it is
// open.
model::ToolOutcome Agent::run_again(Turn& turn, const model::ToolUse& call) {
  const model::Tool* tool = model::find_tool(parts_.tools, call.name);
  const permission::Rules& rules = turn.settings.rules;
  const permission::Decision decision = permission::decide(rules, parts_.tools, call);
  if (tool != nullptr && tool->delegates)
    return model::tool_failure("interrupted: skein ended before this had a result. " +
                               parts_.left_behind(turn.conversation.session(), call));
  const bool harmless = tool != nullptr && tool->effect == model::Effect::reads &&
                        decision.verdict == permission::Decision::Verdict::allow;
  const bool again =
      harmless && !turn.decided &&
      (tool->asks_user ||
       (turn.ports.ask && turn.ports
                                  .ask({"This was interrupted before it had a result. Run it now?",
                                        tool->title(call.input), ""})
                                  .choice != model::Answer::Choice::no));
  if (!again)
    return model::tool_failure(
        "interrupted: skein ended before this had a result; it may have run in part");
  // A plan that waits was made in plan mode, and is decided on there.
  if (call.name == plan::present_tool && rules.mode != permission::Mode::plan &&
      PlanMode::is_told(turn.conversation.path())) {
    turn.settings.rules.mode = permission::Mode::plan;
    turn.tell(model::Notice::Level::info, "plan mode is on again: a plan waits for your word");
  }
  model::ToolOutcome outcome = execute(*tool, call, {turn.ports, rules, decision.place, &turn});
  follow_decision(turn, outcome);
  return outcome;
}

}  // namespace skein::agent
