// What the user's own texts bring into a turn: commands that stand in them, rules that they lend.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "core/agent/agent.h"
#include "core/hooks/outcome_text.h"
#include "core/text/json.h"

namespace skein::agent {

namespace {

using Verdict = permission::Decision::Verdict;

// What cannot be read is left out: the work goes on, and asks.
std::vector<permission::Rule> read_rules(const std::string& text, const model::Tools& tools,
                                         std::string& why_not) {
  try {
    return permission::parse_allow_rules(text, tools);
  } catch (const Error& error) {
    why_not = error.what();
    return {};
  }
}

}  // namespace

Agent::OwnRun Agent::run_own(const std::string& command, const std::vector<std::string>& lends,
                             permission::Rules rules, const model::Ports& ports) {
  const auto tool = std::ranges::find_if(parts_.tools, [](const model::Tool& each) {
    return each.argument.kind == model::Argument::Kind::command;
  });
  if (tool == parts_.tools.end()) return {.text = "there is no tool that runs commands"};
  const model::ToolUse call{"", tool->name, dump({{tool->argument.name, command}})};
  const std::string exposed = tool->needs_sandbox() ? parts_.no_sandbox() : "";
  rules.sandboxed = exposed.empty();
  for (const std::string& text : lends) {
    std::string ignored;  // the turn tells of it
    for (permission::Rule& rule : read_rules(text, parts_.tools, ignored))
      rules.allow.push_back(std::move(rule));
  }
  const permission::Decision decision = permission::decide(rules, parts_.tools, call);
  if (decision.verdict == Verdict::deny) return {.text = decision.reason};
  if (decision.verdict == Verdict::ask && !ports.ask)
    return {.text = decision.reason + "; it needs permission, and there is no terminal to ask"};
  if (decision.verdict == Verdict::ask &&
      ports.ask({.text = "Allow " + tool->title(call.input) + ", which stands in the command?",
                 .detail = command})
              .choice == model::Answer::Choice::no)
    return {.text = std::string(model::refusal_opening)};
  model::Ports quiet = ports;  // its output is not the model's doing
  quiet.sink = [](const model::Event&) {};
  const model::ToolOutcome outcome = execute(*tool, call, {quiet, rules});
  return {.run = true,
          .text = hooks::text_of(outcome),
          .status = outcome.exit_status.value_or(outcome.is_error ? -1 : 0)};
}

void Agent::lend(Turn& turn, const std::vector<std::string>& rules) const {
  for (const std::string& text : rules) {
    std::string why_not;
    for (permission::Rule& rule : read_rules(text, parts_.tools, why_not)) {
      turn.lent.push_back(rule);
      turn.settings.rules.allow.push_back(std::move(rule));
    }
    if (!why_not.empty())
      turn.tell(model::Notice::Level::warning, "the rule " + text + " is not applied: " + why_not);
  }
}

// Before a summary it counts as gone, although some of that may still be sent.
bool Agent::was_said(const Conversation& conversation, std::string_view text) {
  const std::vector<model::Entry>& path = conversation.path();
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry) {
    if (entry->type == model::type::compaction_summary) return false;
    const std::optional<model::Message> message = model::message_of(*entry);
    if (!message || message->role != model::Role::tool) continue;
    for (const model::Block& block : message->content)
      if (const auto* result = std::get_if<model::ToolResult>(&block))
        for (const model::ResultBlock& part : result->content)
          if (const auto* said = std::get_if<model::Text>(&part); said && said->text == text)
            return true;
  }
  return false;
}

// The last of each: an equal rule that was there before stays.
void Agent::take_back_lent(Turn& turn) {
  std::vector<permission::Rule>& allowed = turn.settings.rules.allow;
  for (const permission::Rule& rule : std::exchange(turn.lent, {})) {
    const auto found = std::find(allowed.rbegin(), allowed.rend(), rule);
    if (found != allowed.rend()) allowed.erase(std::next(found).base());
  }
}

}  // namespace skein::agent
