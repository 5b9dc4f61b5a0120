#include "core/agent/call_runner.h"

#include "core/agent/concurrent_calls.h"
#include "core/context/beginning.h"
#include "core/text/json.h"

namespace skein::agent {

namespace {

// An answer with more calls than this is a mistake.
constexpr std::size_t most_calls = 128;

constexpr const char* limit_text =
    "not run: the answer reached the output limit in or after this call. Make it again, shorter or "
    "in several pieces.";

// How often in a row the model may make invalid calls.
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

// Whether a result has exactly this text. Results before a summary do not count, although some of
// them may still be sent.
bool was_said(const Conversation& conversation, std::string_view text) {
  const auto dropped = context::dropped_on(conversation.path());
  for (const model::Entry& entry : conversation.path() | std::views::reverse) {
    if (entry.type == model::type::compaction_summary) return false;
    if (dropped.contains(to_string(entry.id))) continue;
    const std::optional<model::Message> message = model::message_of(entry);
    if (!message || message->role != model::Role::tool) continue;
    for (const model::Block& block : message->content)
      if (const auto* result = std::get_if<model::ToolResult>(&block))
        for (const model::ResultBlock& part : result->content)
          if (const auto* said = std::get_if<model::Text>(&part); said && said->text == text)
            return true;
  }
  return false;
}

// Whether the model gets another try; the results say what is wrong with its calls.
bool may_try_again(Turn& turn, const model::Message& reply) {
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
  turn.end.error = "the model made invalid tool calls " + std::to_string(turn.faulty_replies) +
                   " times in a row; the last one: " + (*faulty)->fault;
  return false;
}

using Verdict = permission::Decision::Verdict;

// Rules that cannot be parsed are left out: the turn continues and asks the user.
std::vector<permission::Rule> read_rules(const std::string& text, const model::Tools& tools,
                                         std::string& why_not) {
  try {
    return permission::parse_allow_rules(text, tools);
  } catch (const Error& error) {
    why_not = error.what();
    return {};
  }
}

// How a call is run.
struct Execution {
  const model::Ports& ports;
  const permission::Rules& rules;
  std::optional<std::string> judged{};  // see ToolPorts
  Turn* turn = nullptr;                 // that it is part of; may be none
};

model::ToolPorts tool_ports(const Parts& parts, const model::Tool& tool, const model::ToolUse& call,
                            const Execution& how) {
  const model::Ports& ports = how.ports;
  Turn* const turn = how.turn;
  const auto show = [&ports, id = call.id](std::string_view text) {
    ports.sink(model::ToolOutput{id, std::string(text)});
  };
  const auto to_background = [&ports] {
    return ports.to_background != nullptr && ports.to_background->exchange(false);
  };
  return {.session = turn != nullptr ? std::optional(turn->conversation.session()) : std::nullopt,
          .call = call.id,
          .judged = how.judged,
          .planning = how.rules.mode == permission::Mode::plan,
          .output = show,
          .stopped = model::stop_check(ports),
          .wake_fd = ports.input.fd,
          .to_background = to_background,
          .denied = permission::denied_places(how.rules, parts.tools, call),
          .url_standing = permission::url_standing(how.rules, parts.tools, call),
          .keep_blob = parts.keep_blob,
          .before_write = turn != nullptr ? saves_file(parts, *turn, tool) : nullptr,
          .was_said =
              [turn](std::string_view text) {
                return turn != nullptr && was_said(turn->conversation, text);
              },
          .ask = ports.ask,
          .ask_line = ports.ask_line,
          .inquire = ports.inquire,
          .review = ports.review};
}

model::ToolOutcome execute(const Parts& parts, const model::Tool& tool, const model::ToolUse& call,
                           const Execution& how) {
  try {
    if (how.turn != nullptr)
      if (const std::string refusal = save_files(parts, *how.turn, tool); !refusal.empty())
        return model::tool_failure(refusal);
    return tool.run(call.input, tool_ports(parts, tool, call, how));
  } catch (const std::exception& error) {
    return model::tool_failure(error.what());  // the end of a call, not of the turn
  }
}

// The user made a decision in a tool that asks.
void follow_decision(const Parts& parts, Turn& turn, const model::ToolOutcome& outcome) {
  const model::ToolOutcome::Decided& decided = outcome.decided;
  if (decided.ends_turn) turn.decided = decided.ends_turn;
  if (const auto mode = permission::parse_mode(decided.mode)) turn.settings.rules.mode = *mode;
  if (!decided.title.empty() && !turn.conversation.state().title_given)
    turn.commit(
        {parts.cleaned(model::make_entry(model::payload::Title{decided.title}), turn.run_id)});
  if (decided.new_branch_prompt.empty()) return;
  turn.end.new_branch_prompt = decided.new_branch_prompt;
  turn.end.new_branch_meta = outcome.meta;
}

}  // namespace

bool CallRunner::run(Turn& turn, const model::Message& reply) {
  const std::vector<const model::ToolUse*> calls = model::tool_uses(reply);
  const bool finished = reply.stop == model::Stop::tool_use;  // cut or failed answers order nothing
  const std::span run = std::span(calls).first(std::min(calls.size(), most_calls));
  for (std::size_t i = 0; i < run.size();) {
    const model::ToolUse& call = *run[i];
    const bool stopped = turn.ports.stopped();
    if (stopped) turn.end.stop = model::Stop::aborted;
    const bool runs = finished && !stopped && !turn.decided && !turn.ended_by_hook;
    if (const std::size_t many = runs ? concurrent_calls(run.subspan(i), parts_.tools) : 0;
        many > 1 || (many == 1 && model::find_tool(parts_.tools, call.name)->delegates)) {
      run_together(turn, run.subspan(i, many));
      i += many;
      continue;
    }
    const std::string why_not = stopped                             ? "cancelled by the user"
                                : reply.stop == model::Stop::length ? limit_text
                                : !finished ? "not run: the answer that asked for it was cut short"
                                : turn.decided ? "not run: the user ended the turn first"
                                : turn.ended_by_hook
                                    ? "not run: one of the user's hooks ended the turn"
                                : !call.fault.empty() ? "not run: " + call.fault
                                                      : "";
    answer(turn, call, why_not.empty() ? run_call(turn, call) : model::tool_failure(why_not));
    ++i;
  }
  if (calls.size() > most_calls) refuse_calls(turn, std::span(calls).subspan(most_calls));
  if (turn.ports.stopped() && !calls.empty()) turn.end.stop = model::Stop::aborted;
  if (turn.decided && !turn.ports.stopped()) turn.end.stop = *turn.decided;
  return !calls.empty() && !turn.ports.stopped() && !turn.decided && !turn.ended_by_hook &&
         may_try_again(turn, reply);
}

// A confused model may make thousands of calls; many results share a batch and a sync.
void CallRunner::refuse_calls(Turn& turn, std::span<const model::ToolUse* const> calls) {
  constexpr std::size_t batch = 1000;
  turn.tell(model::Notice::Level::warning,
            "the model made " + std::to_string(most_calls + calls.size()) +
                " calls in one answer; skein runs only the first " + std::to_string(most_calls));
  const model::ToolOutcome refused =
      model::tool_failure("not run: only the first " + std::to_string(most_calls) +
                          " calls of an answer are run; repeat the others if they are needed");
  std::vector<model::Entry> entries;
  for (const model::ToolUse* call : calls) {
    entries.push_back(result_entry(*call, refused, turn.run_id));
    if (entries.size() == batch || call == calls.back()) turn.commit(std::exchange(entries, {}));
  }
}

void CallRunner::answer(Turn& turn, const model::ToolUse& call, const model::ToolOutcome& outcome) {
  model::Entry entry = result_entry(call, outcome, turn.run_id);
  entry.meta = parts_.clean(outcome.meta);
  turn.commit({std::move(entry)});
}

model::Entry CallRunner::result_entry(const model::ToolUse& call, const model::ToolOutcome& outcome,
                                      const std::string& run_id) const {
  model::Message result{.role = model::Role::tool};
  result.content = {model::ToolResult{call.id, outcome.content, outcome.is_error, outcome.blob}};
  result.duration_ms = outcome.duration_ms;
  return parts_.cleaned(model::message_entry(result), run_id);
}

model::ToolOutcome CallRunner::run_call(Turn& turn, const model::ToolUse& call) {
  const model::Tool* tool = model::find_tool(parts_.tools, call.name);
  if (tool != nullptr && tool->stands_for) {
    const std::optional<model::ToolUse> meant = tool->stands_for(call);
    const model::Tool* other = meant ? model::find_tool(parts_.tools, meant->name) : nullptr;
    // What was not hidden from the model it calls by itself; nothing of this kind is run.
    if (other == nullptr || !other->deferred) return tool->run(call.input, {});
    return run_call(turn, *meant);
  }
  if (tool == nullptr && context_.was_offered(turn.conversation, call.name))
    return model::tool_failure("the tool '" + call.name + "' is no longer available");
  if (tool == nullptr) {
    std::string known;
    for (const model::Tool& each : parts_.tools)
      if (!each.deferred) known += (known.empty() ? "" : ", ") + each.name;
    return model::tool_failure("there is no tool '" + call.name + "'; there are: " + known);
  }
  const JudgedCall judged = judge(turn, *tool, call);
  return conclude(turn, judged, run_judged(turn, judged));
}

CallRunner::JudgedCall CallRunner::judge(Turn& turn, const model::Tool& tool,
                                         const model::ToolUse& call) {
  JudgedCall out{tool, call};
  if (turn.ports.stopped()) {
    out.permission.note = "cancelled by the user";
    return out;
  }
  turn.ports.sink(model::ToolStarted{call, tool.title(call.input)});
  out.permission = gate_.judge(turn, tool, out.call);
  return out;
}

model::ToolOutcome CallRunner::run_judged(Turn& turn, const JudgedCall& judged) {
  if (!judged.permission.given) return model::tool_failure(judged.permission.note);
  const std::int64_t started = now_ms();  // the user's time to decide does not count
  model::ToolOutcome outcome =
      execute(parts_, judged.tool, judged.call,
              {turn.ports, turn.settings.rules, judged.permission.place, &turn});
  outcome.duration_ms = now_ms() - started;
  return outcome;
}

// Runs after each call, in the order of the calls.
model::ToolOutcome CallRunner::conclude(Turn& turn, const JudgedCall& judged,
                                        model::ToolOutcome outcome) {
  const auto& [tool, call, permission] = judged;
  if (permission.given) hooks_.after_call(turn, call, outcome);
  if (permission.given) attach_nearby(parts_, turn, tool, permission.place, outcome);
  if (permission.given && !permission.note.empty())
    outcome.content.insert(outcome.content.begin(), model::Text{permission.note});
  turn.ports.sink(model::ToolEnded{call.id, outcome.is_error, outcome.duration_ms});
  if (!outcome.notice.empty()) turn.tell(model::Notice::Level::warning, outcome.notice);
  add_temporary_rules(turn, outcome.temporary_rules);
  turn.end.calls += outcome.model_calls;
  follow_decision(parts_, turn, outcome);
  return outcome;
}

// The user is asked about all of them, in their order, before the first one runs.
void CallRunner::run_together(Turn& turn, std::span<const model::ToolUse* const> calls) {
  std::vector<JudgedCall> judged;
  for (const model::ToolUse* call : calls)
    judged.push_back(judge(turn, *model::find_tool(parts_.tools, call->name), *call));
  if (parts_.delegates != nullptr &&
      std::ranges::any_of(judged, [](const JudgedCall& each) { return each.tool.delegates; }))
    parts_.delegates->bind(turn);
  std::vector<ConcurrentCalls::Call> running;
  for (const auto& [tool, call, permission] : judged)
    if (permission.given)
      running.push_back({tool, call,
                         tool_ports(parts_, tool, call,
                                    {turn.ports, turn.settings.rules, permission.place, &turn})});
  std::optional<ConcurrentCalls> together;
  try {
    together.emplace(std::move(running), turn.ports);
  } catch (const Error&) {  // then one after the other
  }
  for (std::size_t i = 0; i < judged.size(); ++i) {
    model::ToolOutcome outcome =
        judged[i].permission.given && together ? together->next() : run_judged(turn, judged[i]);
    answer(turn, *calls[i], conclude(turn, judged[i], std::move(outcome)));
  }
}

model::ToolOutcome CallRunner::run_permitted(Turn& turn, const model::Tool& tool,
                                             const model::ToolUse& call,
                                             const std::optional<std::string>& place) {
  model::ToolOutcome outcome =
      execute(parts_, tool, call, {turn.ports, turn.settings.rules, place, &turn});
  follow_decision(parts_, turn, outcome);
  return outcome;
}

CallRunner::OwnRun CallRunner::run_own(const std::string& command,
                                       const std::vector<std::string>& temporary_rules,
                                       permission::Rules rules, const model::Ports& ports) {
  const auto tool = std::ranges::find_if(parts_.tools, [](const model::Tool& each) {
    return each.argument.kind == model::Argument::Kind::command;
  });
  if (tool == parts_.tools.end()) return {.text = "there is no tool that runs commands"};
  const model::ToolUse call{"", tool->name, dump({{tool->argument.name, command}})};
  const std::string exposed = tool->needs_sandbox() ? parts_.no_sandbox() : "";
  rules.sandboxed = exposed.empty();
  for (const std::string& text : temporary_rules) {
    std::string ignored;  // the turn shows it
    for (permission::Rule& rule : read_rules(text, parts_.tools, ignored))
      rules.allow.push_back(std::move(rule));
  }
  const permission::Decision decision = permission::decide(rules, parts_.tools, call);
  if (decision.verdict == Verdict::deny) return {.text = decision.reason};
  if (decision.verdict == Verdict::ask && !ports.ask)
    return {.text = decision.reason + "; it needs permission, and there is no terminal to ask"};
  if (decision.verdict == Verdict::ask &&
      ports.ask({.text = "Allow " + tool->title(call.input) + ", which this slash command runs?",
                 .detail = command})
              .choice == model::Answer::Choice::no)
    return {.text = std::string(model::refusal_opening)};
  model::Ports quiet = ports;  // its output is not the model's doing
  quiet.sink = [](const model::Event&) {};
  const model::ToolOutcome outcome = execute(parts_, *tool, call, {quiet, rules});
  return {.run = true,
          .text = hooks::text_of(outcome),
          .status = outcome.exit_status.value_or(outcome.is_error ? -1 : 0)};
}

void CallRunner::add_temporary_rules(Turn& turn, const std::vector<std::string>& rules) const {
  for (const std::string& text : rules) {
    std::string why_not;
    for (permission::Rule& rule : read_rules(text, parts_.tools, why_not)) {
      turn.temporary_rules.push_back(rule);
      turn.settings.rules.allow.push_back(std::move(rule));
    }
    if (!why_not.empty())
      turn.tell(model::Notice::Level::warning, "the rule " + text + " is not applied: " + why_not);
  }
}

}  // namespace skein::agent
