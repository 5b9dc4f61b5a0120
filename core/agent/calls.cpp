// The part of the loop that runs the calls of an answer.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/agent/agent.h"
#include "core/agent/concurrent_calls.h"
#include "core/model/pause.h"
#include "core/model/payloads.h"

namespace skein::agent {

namespace {

// An answer with more calls than this is a mistake.
constexpr std::size_t most_calls = 128;

constexpr const char* limit_text =
    "not run: the answer reached the output limit in or after this call. Make it again, shorter or "
    "in several pieces.";

// How often in a row the model may make calls that cannot be read.
constexpr int most_faulty_replies = 3;

// How many of these calls, from the first on, may run at the same time.
std::size_t concurrent_calls(std::span<const model::ToolUse* const> calls,
                             const model::Tools& tools) {
  const auto alone = std::ranges::find_if(calls, [&](const model::ToolUse* call) {
    const model::Tool* tool = model::find_tool(tools, call->name);
    return !call->fault.empty() || tool == nullptr || !tool->concurrent;
  });
  return static_cast<std::size_t>(alone - calls.begin());
}

}  // namespace

// Whether the model, having been told what is wrong with its calls, gets another try.
bool Agent::may_try_again(Turn& turn, const model::Message& reply) {
  // The limit cut a call, most often a long file: the model can send it in pieces.
  if (reply.stop == model::Stop::length) return !std::exchange(turn.asked_after_cut, true);
  if (reply.stop != model::Stop::tool_use) return false;
  const std::vector<const model::ToolUse*> calls = model::tool_uses(reply);
  const auto faulty = std::ranges::find_if(calls, [](auto* call) { return !call->fault.empty(); });
  if (faulty == calls.end()) {
    turn.faulty_replies = 0;
    return true;
  }
  if (++turn.faulty_replies < most_faulty_replies) return true;
  turn.end.stop = model::Stop::error;
  turn.end.error = "the model made a call that cannot be read " +
                   std::to_string(turn.faulty_replies) +
                   " times in a row; the last one: " + (*faulty)->fault;
  return false;
}

// Every call is answered, whatever happens: a transcript with an open call is refused by every
// provider. True if the model should be asked again.
bool Agent::run_calls(Turn& turn, const model::Message& reply) {
  const std::vector<const model::ToolUse*> calls = model::tool_uses(reply);
  const bool finished = reply.stop == model::Stop::tool_use;  // cut or failed answers order nothing
  const std::span run = std::span(calls).first(std::min(calls.size(), most_calls));
  for (std::size_t i = 0; i < run.size();) {
    const model::ToolUse& call = *run[i];
    const bool stopped = turn.ports.stopped();
    if (stopped && turn.end.stop != model::Stop::aborted) turn.end.stop = model::Stop::aborted;
    const bool runs = finished && !stopped && !turn.decided && !turn.ended_by_hook;
    if (const std::size_t many = runs ? concurrent_calls(run.subspan(i), parts_.tools) : 0;
        many > 1 || (many == 1 && model::find_tool(parts_.tools, call.name)->delegates)) {
      run_together(turn, run.subspan(i, many));
      i += many;
      continue;
    }
    answer(turn, call,
           stopped                             ? model::tool_failure("cancelled by the user")
           : reply.stop == model::Stop::length ? model::tool_failure(limit_text)
           : !finished ? model::tool_failure("not run: the answer that asked for it was cut short")
           : turn.decided ? model::tool_failure("not run: the user ended the turn before it")
           : turn.ended_by_hook
               ? model::tool_failure("not run: a hook of the user's ended the turn")
           : !call.fault.empty() ? model::tool_failure("not run: " + call.fault)
                                 : run_call(turn, call));
    ++i;
  }
  if (calls.size() > most_calls) refuse_calls(turn, std::span(calls).subspan(most_calls));
  if (turn.ports.stopped() && !calls.empty()) turn.end.stop = model::Stop::aborted;
  if (turn.decided && !turn.ports.stopped()) turn.end.stop = *turn.decided;
  return !calls.empty() && !turn.ports.stopped() && !turn.decided && !turn.ended_by_hook &&
         may_try_again(turn, reply);
}

// A model that has lost its way may make thousands of calls; many results share a batch and a sync.
void Agent::refuse_calls(Turn& turn, std::span<const model::ToolUse* const> calls) {
  constexpr std::size_t batch = 1000;
  turn.tell(model::Notice::Level::warning,
            "the model made " + std::to_string(most_calls + calls.size()) +
                " calls in one answer; only the first " + std::to_string(most_calls) + " count");
  const model::ToolOutcome refused =
      model::tool_failure("not run: only the first " + std::to_string(most_calls) +
                          " calls of an answer are run; make the others again if they are needed");
  std::vector<model::Entry> entries;
  for (const model::ToolUse* call : calls) {
    entries.push_back(result_entry(*call, refused, turn.run_id));
    if (entries.size() == batch || call == calls.back()) turn.commit(std::exchange(entries, {}));
  }
}

void Agent::answer(Turn& turn, const model::ToolUse& call, const model::ToolOutcome& outcome) {
  model::Entry entry = result_entry(call, outcome, turn.run_id);
  entry.meta = parts_.clean(outcome.meta);
  turn.commit({std::move(entry)});
}

model::Entry Agent::result_entry(const model::ToolUse& call, const model::ToolOutcome& outcome,
                                 const std::string& run_id) const {
  model::Message result{.role = model::Role::tool};
  result.content = {model::ToolResult{call.id, outcome.content, outcome.is_error, outcome.blob}};
  result.duration_ms = outcome.duration_ms;
  return entry_for(result, run_id);
}

model::ToolOutcome Agent::run_call(Turn& turn, const model::ToolUse& call) {
  const model::Tool* tool = model::find_tool(parts_.tools, call.name);
  if (tool != nullptr && tool->stands_for) {
    const std::optional<model::ToolUse> meant = tool->stands_for(call);
    const model::Tool* other = meant ? model::find_tool(parts_.tools, meant->name) : nullptr;
    // What was not hidden from the model it calls by itself; nothing of this kind is run.
    if (other == nullptr || !other->deferred) return tool->run(call.input, {});
    return run_call(turn, *meant);
  }
  if (tool == nullptr && surroundings_.was_offered(turn.conversation, call.name))
    return model::tool_failure("the tool '" + call.name + "' is no longer available");
  if (tool == nullptr) {
    std::string known;
    for (const model::Tool& each : parts_.tools)
      if (!each.deferred) known += (known.empty() ? "" : ", ") + each.name;
    return model::tool_failure("there is no tool '" + call.name + "'; there are: " + known);
  }
  turn.ports.sink(model::ToolStarted{call, tool->title(call.input)});
  model::ToolUse agreed = call;
  const PermissionGate::Permission permission = gate_.judge(turn, *tool, agreed);
  const std::int64_t started = now_ms();  // the user's time to decide does not count
  model::ToolOutcome outcome =
      permission.given
          ? execute(*tool, agreed, {turn.ports, turn.settings.rules, permission.place, &turn})
          : model::tool_failure(permission.note);
  outcome.duration_ms = now_ms() - started;
  conclude(turn, *tool, agreed, permission, outcome);
  return outcome;
}

// What follows a call, in the order the calls were made.
void Agent::conclude(Turn& turn, const model::Tool& tool, const model::ToolUse& call,
                     const PermissionGate::Permission& permission, model::ToolOutcome& outcome) {
  if (permission.given) hooks_.after_call(turn, call, outcome);
  if (permission.given) nearby_.attach(turn, tool, permission.place, outcome);
  if (permission.given && !permission.note.empty())
    outcome.content.insert(outcome.content.begin(), model::Text{permission.note});
  turn.ports.sink(model::ToolEnded{call.id, outcome.is_error, outcome.duration_ms});
  if (!outcome.notice.empty()) turn.tell(model::Notice::Level::warning, outcome.notice);
  lend(turn, outcome.lends);
  turn.end.calls += outcome.model_calls;
  follow_decision(turn, outcome);
}

// The user is asked about all of them, in their order, before the first one runs.
void Agent::run_together(Turn& turn, std::span<const model::ToolUse* const> calls) {
  struct Judged {
    const model::Tool& tool;
    model::ToolUse agreed;
    PermissionGate::Permission permission{};
  };
  std::vector<Judged> judged;
  for (const model::ToolUse* call : calls) {
    judged.push_back({*model::find_tool(parts_.tools, call->name), *call});
    Judged& each = judged.back();
    if (turn.ports.stopped()) {
      each.permission.note = "cancelled by the user";
      continue;
    }
    turn.ports.sink(model::ToolStarted{*call, each.tool.title(call->input)});
    each.permission = gate_.judge(turn, each.tool, each.agreed);
  }
  if (std::ranges::any_of(judged, [](const Judged& each) { return each.tool.delegates; }))
    parts_.before_delegating(turn);
  std::vector<ConcurrentCalls::Call> running;
  for (const Judged& each : judged)
    if (each.permission.given)
      running.push_back(
          {each.tool, each.agreed,
           tool_ports(each.tool, each.agreed,
                      {turn.ports, turn.settings.rules, each.permission.place, &turn})});
  std::optional<ConcurrentCalls> together;
  try {
    together.emplace(std::move(running), turn.ports);
  } catch (const Error&) {  // then one after the other
  }
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const Judged& each = judged[i];
    model::ToolOutcome outcome =
        !each.permission.given ? model::tool_failure(each.permission.note)
        : together             ? together->next()
                               : execute(each.tool, each.agreed,
                                         {turn.ports, turn.settings.rules, each.permission.place, &turn});
    conclude(turn, each.tool, each.agreed, each.permission, outcome);
    answer(turn, *calls[i], outcome);
  }
}

// The user has decided something while a tool ran that asks.
void Agent::follow_decision(Turn& turn, const model::ToolOutcome& outcome) {
  const model::ToolOutcome::Decided& decided = outcome.decided;
  if (decided.ends_turn) turn.decided = decided.ends_turn;
  if (const auto mode = permission::parse_mode(decided.mode)) turn.settings.rules.mode = *mode;
  if (!decided.title.empty() && !turn.conversation.state().title_given) {
    model::Entry entry = model::make_entry(model::payload::Title{parts_.clean(decided.title)});
    entry.run_id = turn.run_id;
    turn.commit({std::move(entry)});
  }
  if (decided.anew.empty()) return;
  turn.end.anew = decided.anew;
  turn.end.anew_meta = outcome.meta;
}

model::ToolPorts Agent::tool_ports(const model::Tool& tool, const model::ToolUse& call,
                                   const Execution& how) const {
  const model::Ports& ports = how.ports;
  Turn* const turn = how.turn;
  return {.output =
              [&ports, id = call.id](std::string_view text) {
                ports.sink(model::ToolOutput{id, std::string(text)});
              },
          .stopped = model::stop_check(ports),
          .to_background =
              [&ports] {
                return ports.to_background != nullptr && ports.to_background->exchange(false);
              },
          .session = turn != nullptr ? std::optional(turn->conversation.session()) : std::nullopt,
          .wake_fd = ports.input.fd,
          .keep_blob = parts_.keep_blob,
          .judged = how.judged,
          .before_write = turn != nullptr ? files_.before_write(*turn, tool) : nullptr,
          .was_said =
              [turn](std::string_view text) {
                return turn != nullptr && was_said(turn->conversation, text);
              },
          .denied = permission::denied_places(how.rules, parts_.tools, call),
          .url_standing = permission::url_standing(how.rules, parts_.tools, call),
          .ask = ports.ask,
          .ask_line = ports.ask_line,
          .inquire = ports.inquire,
          .review = ports.review,
          .planning = how.rules.mode == permission::Mode::plan,
          .call = call.id};
}

model::ToolOutcome Agent::execute(const model::Tool& tool, const model::ToolUse& call,
                                  const Execution& how) {
  try {
    if (how.turn != nullptr)
      if (const std::string refusal = files_.before_call(*how.turn, tool); !refusal.empty())
        return model::tool_failure(refusal);
    return tool.run(call.input, tool_ports(tool, call, how));
  } catch (const std::exception& error) {
    return model::tool_failure(error.what());  // the end of a call, not of the turn
  }
}

}  // namespace skein::agent
