#include "core/agent/permission_gate.h"

#include <algorithm>
#include <utility>

#include "core/model/payloads.h"
#include "core/model/schema.h"
#include "core/text/json.h"

namespace skein::agent {

namespace {

using Verdict = permission::Decision::Verdict;

std::string reason_of(const permission::Decision& decision) {
  return decision.reason.empty() ? "not permitted" : decision.reason;
}

std::string names_of(const std::vector<permission::Rule>& rules) {
  std::string names;
  for (const permission::Rule& rule : rules)
    names += (names.empty() ? "" : ",") + permission::to_string({rule.tool, rule.pattern});
  return names;
}

// A whole line as a rule would repeat the question.
bool is_whole_line(const std::vector<permission::Rule>& rules) {
  return rules.size() == 1 && rules[0].pattern.starts_with('=');
}

std::vector<std::string> texts_of(const std::vector<permission::Rule>& rules) {
  std::vector<std::string> out;
  for (const permission::Rule& rule : rules)
    out.push_back(permission::to_string({rule.tool, rule.pattern}));
  return out;
}

// And which option would have allowed it.
std::string no_terminal_to_ask(const permission::Rules& rules, const model::Tools& tools,
                               const model::ToolUse& call) {
  std::string text = "; it needs permission, and there is no terminal to ask";
  permission::Rules bold = rules;
  bold.mode = permission::Mode::bypass;
  const std::vector<permission::Rule> offered = permission::remember(rules, tools, call);
  if (!offered.empty() && !is_whole_line(offered))
    text += " (--allowed-tools '" + names_of(offered) + "' would allow it)";
  else if (permission::decide(bold, tools, call).verdict == Verdict::allow)
    text += " (-y would allow it, and everything else)";
  return text;
}

std::optional<std::string> argument(const JsonText& input, const std::string& name) {
  const std::optional<Json> json = parse_json(input);
  if (!json || !at(*json, name).is_string()) return std::nullopt;
  return string_at(*json, name);
}

JsonText with_argument(const JsonText& input, const std::string& name, const std::string& text) {
  Json json = parse_json(input).value_or(Json::object());
  json[name] = text;
  return dump(json);
}

// A path that leads to another place through links: the user should know which file is meant.
std::string led_elsewhere(const model::Tool& tool, const model::ToolUse& call,
                          const permission::Decision& decision) {
  const std::optional<std::string> path = argument(call.input, tool.argument.name);
  if (!path || path->starts_with('/') || !decision.place || decision.place->empty()) return {};
  std::string_view words = *path;
  while (words.starts_with("./")) words.remove_prefix(2);
  return words == *decision.place ? "" : ", which is " + *decision.place;
}

// What a server says of its tool now, in the parts that changed.
std::string changed_definition(const model::Tool& tool, const permission::Decision& decision) {
  std::string out;
  for (const std::string& part : decision.changed) {
    if (part == "description") out += "\n\nnew description: " + tool.description;
    if (part == "input schema") out += "\n\nnew input schema: " + tool.schema;
  }
  return out;
}

model::Question question_about(const model::Tool& tool, const model::ToolUse& call,
                               const permission::Decision& decision,
                               const std::vector<permission::Rule>& offered, bool by_hook,
                               bool accepts_edits) {
  // What only reads, and what a hook asks about, is rarely asked about, so the question says why.
  const bool seldom = by_hook || !decision.changed.empty() || tool.effect == model::Effect::reads ||
                      (accepts_edits && tool.effect == model::Effect::writes);
  const std::string why = seldom && !decision.reason.empty() ? " (" + decision.reason + ")" : "";
  model::Question question{
      .text = "Allow " + tool.title(call.input) + led_elsewhere(tool, call, decision) + why + "?",
      .detail = (tool.preview ? tool.preview(call.input) : std::string{}) +
                changed_definition(tool, decision),
      .remember = is_whole_line(offered) ? "exactly this command" : names_of(offered)};
  if (const auto text = argument(call.input, tool.amendable)) {
    const auto path =
        tool.argument.is_path() ? argument(call.input, tool.argument.name) : std::nullopt;
    question.amendable = {*text, path.value_or(tool.name + ".sh")};
  }
  return question;
}

}  // namespace

// A hook of the user's own that allows a call is worth as much as bypassPermissions for that one
// call, and no more: what is forbidden stays so, and in plan mode nothing is changed. One that asks
// is heard in every mode.
permission::Decision PermissionGate::decide(const Turn& turn, const model::ToolUse& call,
                                            const HookPoints::Verdict& hook) const {
  const permission::Rules& rules = turn.settings.rules;
  permission::Decision decision = permission::decide(rules, parts_.tools, call);
  if (hook.choice == hooks::Choice::ask && decision.verdict == Verdict::allow) {
    decision.verdict = Verdict::ask;
    decision.reason = hook.reason.empty() ? "a hook wants you to be asked" : hook.reason;
  }
  if (hook.choice != hooks::Choice::allow || decision.verdict != Verdict::ask) return decision;
  permission::Rules bold = rules;
  bold.mode = permission::Mode::bypass;
  permission::Decision allowed = permission::decide(bold, parts_.tools, call);
  return allowed.verdict == Verdict::allow ? allowed : decision;
}

PermissionGate::Permission PermissionGate::judge(Turn& turn, const model::Tool& tool,
                                                 model::ToolUse& call) {
  const JsonText before = call.input;
  const HookPoints::Verdict hook = hooks_.before_call(turn, call);
  if (hook.choice == hooks::Choice::deny) return {false, hook.reason};
  if (turn.ports.stopped()) return {false, "cancelled by the user"};
  if (call.input != before) turn.ports.sink(model::ToolStarted{call, tool.title(call.input)});
  const std::string exposed = tool.needs_sandbox() ? parts_.no_sandbox() : "";
  turn.settings.rules.sandboxed = exposed.empty();
  const permission::Decision decision = decide(turn, call, hook);
  if (decision.verdict == Verdict::allow) {
    pin_definition(turn, call.name);
    return {true, hook.note, decision.place};
  }
  if (decision.verdict == Verdict::deny) return {false, reason_of(decision)};
  // Nobody is asked about what could not be done anyway.
  if (std::string trouble = model::trouble_with_arguments(tool.schema, call.input);
      !trouble.empty())
    return {false, "not run: " + trouble};
  return ask(turn, tool, call, decision, hook);
}

PermissionGate::Permission PermissionGate::ask(Turn& turn, const model::Tool& tool,
                                               model::ToolUse& call,
                                               const permission::Decision& decision,
                                               HookPoints::Verdict hook) {
  const permission::Rules& rules = turn.settings.rules;
  const JsonText before = call.input;
  const HookPoints::Verdict answer = hooks_.before_question(
      turn, tool, call, texts_of(permission::remember(rules, parts_.tools, call)));
  hook.note += (hook.note.empty() || answer.note.empty() ? "" : "\n") + answer.note;
  if (answer.choice == hooks::Choice::deny) return {false, answer.reason};
  if (turn.ports.stopped()) return {false, "cancelled by the user"};
  permission::Decision now = decision;
  // One that allows answers in the user's place, also what another one asks.
  const bool answered = answer.choice == hooks::Choice::allow;
  if (answered || call.input != before) now = decide(turn, call, answered ? answer : hook);
  if (now.verdict == Verdict::allow) return {true, hook.note, now.place};
  std::string why_not = reason_of(now);
  if (now.verdict == Verdict::deny) return {false, why_not};
  const std::string exposed = rules.sandboxed ? "" : parts_.no_sandbox();
  if (!turn.ports.ask) {
    if (now.reason == permission::not_sandboxed)  // which may be half the truth
      why_not = exposed;
    else if (!exposed.empty())
      why_not += "; " + exposed;
    why_not += no_terminal_to_ask(rules, parts_.tools, call);
    turn.tell(model::Notice::Level::warning, tool.title(call.input) + " was not run: " + why_not);
    return {false, why_not};
  }
  if (!exposed.empty() && !std::exchange(told_of_sandbox_, true))
    turn.tell(model::Notice::Level::warning, exposed);
  return ask_user(turn, tool, call, now, hook);
}

PermissionGate::Permission PermissionGate::ask_user(Turn& turn, const model::Tool& tool,
                                                    model::ToolUse& call,
                                                    permission::Decision decision,
                                                    const HookPoints::Verdict& hook) const {
  const bool by_hook = hook.choice == hooks::Choice::ask;
  std::string note = hook.note;
  for (;;) {
    // To a hook that asks, "always" means nothing.
    const std::vector<permission::Rule> offered =
        by_hook ? std::vector<permission::Rule>{}
                : permission::remember(turn.settings.rules, parts_.tools, call);
    const model::Answer answer =
        turn.ports.ask(question_about(tool, call, decision, offered, by_hook,
                                      turn.settings.rules.mode == permission::Mode::accept_edits));
    switch (answer.choice) {
      case model::Answer::Choice::yes: return {true, note, decision.place};
      case model::Answer::Choice::always:
        keep_rules(turn, offered);
        return {true, note, decision.place};
      case model::Answer::Choice::here:
        keep_rules_here(turn, offered);
        return {true, note, decision.place};
      case model::Answer::Choice::no:
        return {false, std::string(model::refusal_opening) +
                           (answer.text.empty() ? "" : ": " + answer.text)};
      case model::Answer::Choice::amend: break;
    }
    // The changed call is judged, shown and asked about as if the model had made it so.
    call.input = with_argument(call.input, tool.amendable, answer.text);
    turn.ports.sink(model::ToolStarted{call, tool.title(call.input)});
    decision = permission::decide(turn.settings.rules, parts_.tools, call);
    if (decision.verdict == Verdict::deny)
      return {false, "refused as the user changed it: " + reason_of(decision)};
    note = model::amendment(tool.amendable, answer.text).text;
  }
}

// For this session, so that a restart need not ask again. `replaced` is a rule of the session.
void PermissionGate::keep_rules(Turn& turn, const std::vector<permission::Rule>& given,
                                const std::string& replaced) const {
  if (given.empty()) return;
  for (const permission::Rule& rule : given)
    if (const std::string why =
            parts_.grant(turn.conversation.session(), permission::to_string(rule));
        !why.empty())
      turn.tell(model::Notice::Level::warning,
                permission::to_string(rule) + " holds until skein ends: " + why);
  std::vector<permission::Rule>& allowed = turn.settings.rules.allow;
  allowed.insert(allowed.end(), given.begin(), given.end());
  model::payload::Permissions all{turn.conversation.state().permissions};
  std::erase(all.rules, replaced);
  for (const permission::Rule& rule : given) all.rules.push_back(permission::to_string(rule));
  model::Entry entry = model::make_entry(all);
  entry.run_id = turn.run_id;
  turn.commit({std::move(entry)});
}

// In the user's own data, so not in the transcript, which may go elsewhere.
void PermissionGate::keep_rules_here(Turn& turn, std::vector<permission::Rule> given) const {
  for (permission::Rule& rule : given) {
    rule.origin = permission::Rule::Origin::here;
    if (const std::string why = parts_.grant_here(permission::to_string(rule)); !why.empty())
      turn.tell(model::Notice::Level::warning,
                permission::to_string(rule) + " holds until skein ends: " + why);
    turn.settings.rules.allow.push_back(std::move(rule));
  }
}

// A rule that an earlier version stored remembers from now on what it allows.
void PermissionGate::pin_definition(Turn& turn, const std::string& tool) const {
  for (const auto& [bare, pinned] : permission::to_be_pinned(turn.settings.rules, tool)) {
    std::erase(turn.settings.rules.allow, bare);
    const std::string name = permission::to_string(bare);
    const std::vector<std::string>& kept = turn.conversation.state().permissions;
    if (bare.origin == permission::Rule::Origin::here) {
      parts_.revoke_here(name);
      keep_rules_here(turn, {pinned});
    } else if (std::ranges::find(kept, name) != kept.end()) {
      keep_rules(turn, {pinned}, name);
    } else {
      turn.settings.rules.allow.push_back(pinned);
    }
  }
}

}  // namespace skein::agent
