#include "core/agent/permission_gate.h"

#include "core/permission/rule_match.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::agent {

namespace {

using Verdict = permission::Decision::Verdict;
using Permission = PermissionGate::Permission;

std::string reason_of(const permission::Decision& decision) {
  return decision.reason.empty() ? "not permitted" : decision.reason;
}

std::vector<std::string> texts_of(const std::vector<permission::Rule>& rules) {
  std::vector<std::string> out;
  for (const permission::Rule& rule : rules)
    out.push_back(permission::to_string({rule.tool, rule.pattern}));
  return out;
}

std::string names_of(const std::vector<permission::Rule>& rules, const std::string& between) {
  std::string names;
  for (const std::string& text : texts_of(rules)) names += (names.empty() ? "" : between) + text;
  return names;
}

// A whole line as a rule would repeat the question.
bool is_whole_line(const std::vector<permission::Rule>& rules) {
  return rules.size() == 1 && rules[0].pattern.starts_with('=');
}

permission::Decision decide_boldly(permission::Rules rules, const model::Tools& tools,
                                   const model::ToolUse& call) {
  rules.mode = permission::Mode::bypass;
  return permission::decide(rules, tools, call);
}

// The rule could not be remembered.
void warn_of_end(const Turn& turn, const permission::Rule& rule, const std::string& why) {
  if (!why.empty())
    turn.tell(model::Notice::Level::warning,
              permission::to_string(rule) + " applies only until skein exits: " + why);
}

// And which option would have allowed it.
std::string no_terminal_to_ask(const permission::Rules& rules, const model::Tools& tools,
                               const model::ToolUse& call) {
  std::string text = "; it needs permission, and there is no terminal to ask";
  const std::vector<permission::Rule> offered = permission::remember(rules, tools, call);
  if (!offered.empty() && !is_whole_line(offered))
    text += " (--allowed-tools '" + names_of(offered, ",") + "' would allow it)";
  else if (decide_boldly(rules, tools, call).verdict == Verdict::allow)
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

// The changed parts of a server's tool definition, in their new form.
std::string changed_definition(const model::Tool& tool, const permission::Decision& decision) {
  std::string out;
  for (const std::string& part : decision.changed) {
    if (part == "description") out += "\n\nnew description: " + tool.description;
    if (part == "input schema") out += "\n\nnew input schema: " + tool.schema;
  }
  return out;
}

// Why the call must fail, whatever the user answers; empty: it may work. The reason reveals what is
// in the file, so it is empty for files that the model may not read.
std::string certain_failure(const permission::Rules& rules, const model::Tools& tools,
                            const model::Tool& tool, const model::ToolUse& call) {
  if (!tool.preview) return {};
  const model::Preview preview = tool.preview(call.input);
  if (!preview.must_fail) return {};
  const model::Tool* reader = model::find_file_reader(tools);
  const auto path = argument(call.input, tool.argument.name);
  if (reader == nullptr || !path) return {};
  const model::ToolUse read{"", reader->name, dump({{reader->argument.name, *path}})};
  return permission::decide(rules, tools, read).verdict == Verdict::allow ? preview.text : "";
}

// "all edits in src/", "every `git log *` and `make check`".
std::string scope_of(const model::Tool& tool, const std::vector<permission::Rule>& offered) {
  if (offered.empty()) return {};
  if (is_whole_line(offered)) return "exactly this command";
  std::vector<std::string> patterns;
  for (const permission::Rule& rule : offered) patterns.push_back(rule.pattern);
  if (tool.argument.kind == model::Argument::Kind::command) {
    for (std::string& pattern : patterns) pattern = "`" + pattern + "`";
    return "every " + listed(patterns);
  }
  const std::string& pattern = patterns.front();
  const std::string calls = "all " + tool.name + "s ";
  if (tool.argument.kind == model::Argument::Kind::url) return "all pages of " + pattern;
  if (pattern.ends_with("/**")) return calls + "in " + pattern.substr(0, pattern.size() - 2);
  return pattern.empty() ? "all calls of " + tool.name : calls + "of " + pattern;
}

// What a call does, as in "agent reviewer wants to …", and what that is about; `where`: the file
// that is meant. Empty: the tool's own title says it.
struct CallWords {
  std::string does{}, about{};
};

CallWords request_of(const model::Tool& tool, const model::ToolUse& call,
                     const std::string& where) {
  using Kind = model::Argument::Kind;
  const std::string what = argument(call.input, tool.argument.name).value_or("");
  if (const auto server = permission::server_tool(tool.name))
    return {"call " + server->second + " of the MCP server " + server->first,
            server->first + ": " + server->second};
  if (what.empty() || tool.argument.kind == Kind::none) return {};
  if (tool.argument.kind == Kind::command) return {"run this command", what};
  if (tool.argument.kind == Kind::url) return {"fetch " + what, what};
  return {(tool.name == "edit" ? "change " : tool.name + " ") + what + where, what};
}

model::Question::Kind kind_of_detail(const model::Tool& tool) {
  using Kind = model::Question::Kind;
  if (tool.argument.kind == model::Argument::Kind::command) return Kind::command;
  return tool.diff ? Kind::diff : Kind::text;
}

model::Question question_about(const model::Tool& tool, const model::ToolUse& call,
                               const permission::Decision& decision,
                               const std::vector<permission::Rule>& offered, bool by_hook,
                               const permission::Rules& rules) {
  // Questions about reads and questions by hooks are rare, so they say why.
  const bool seldom =
      by_hook || !decision.changed.empty() || tool.effect == model::Effect::reads ||
      (rules.mode == permission::Mode::accept_edits && tool.effect == model::Effect::writes);
  const std::string why = seldom && !decision.reason.empty() ? " (" + decision.reason + ")" : "";
  const std::string where = led_elsewhere(tool, call, decision);
  CallWords request = request_of(tool, call, where);
  const bool known = !request.does.empty();
  if (known) request.does += why;
  model::Question question{
      .text = known ? capitalized(request.does) + "?"
                    : "Allow " + tool.title(call.input) + where + why + "?",
      .detail = (tool.preview ? tool.preview(call.input).text : std::string{}) +
                changed_definition(tool, decision),
      .remember = is_whole_line(offered) ? "exactly this command" : names_of(offered, ", "),
      .kind = kind_of_detail(tool),
      .request = request.does,
      .scope = scope_of(tool, offered),
      .about = known ? request.about : tool.title(call.input),
      .call = call,
      .rules = texts_of(offered)};
  if (question.kind == model::Question::Kind::command)
    question.note = rules.sandboxed ? "sandboxed" : "without a sandbox";
  if (const auto text = argument(call.input, tool.amendable)) {
    const auto path =
        tool.argument.is_path() ? argument(call.input, tool.argument.name) : std::nullopt;
    question.amendable = {*text, path.value_or(tool.name + ".sh")};
  }
  return question;
}

// A user's hook that allows a call has the effect of bypassPermissions for that one call: forbidden
// calls stay forbidden, and in plan mode nothing is changed. A hook that asks is obeyed in every
// mode.
permission::Decision decide(const Parts& parts, const Turn& turn, const model::ToolUse& call,
                            const HookPoints::Verdict& hook) {
  const permission::Rules& rules = turn.settings.rules;
  permission::Decision decision = permission::decide(rules, parts.tools, call);
  if (hook.choice == hooks::HookChoice::ask && decision.verdict == Verdict::allow) {
    decision.verdict = Verdict::ask;
    decision.reason = hook.reason.empty() ? "a hook asks for your confirmation" : hook.reason;
  }
  if (hook.choice != hooks::HookChoice::allow || decision.verdict != Verdict::ask) return decision;
  permission::Decision allowed = decide_boldly(rules, parts.tools, call);
  return allowed.verdict == Verdict::allow ? allowed : decision;
}

// For this session, so that a restart need not ask again. `replaced` is a rule of the session.
void keep_rules(const Parts& parts, Turn& turn, const std::vector<permission::Rule>& given,
                const std::string& replaced = {}) {
  if (given.empty()) return;
  for (const permission::Rule& rule : given)
    warn_of_end(turn, rule, parts.grant(turn.conversation.session(), permission::to_string(rule)));
  std::vector<permission::Rule>& allowed = turn.settings.rules.allow;
  allowed.insert(allowed.end(), given.begin(), given.end());
  model::payload::Permissions all{turn.conversation.state().permissions};
  std::erase(all.rules, replaced);
  for (const permission::Rule& rule : given) all.rules.push_back(permission::to_string(rule));
  model::Entry entry = model::make_entry(all);
  entry.run_id = turn.run_id;
  turn.commit({std::move(entry)});
}

// Stored with the user's data and not in the transcript, which may be shared.
void keep_rules_here(const Parts& parts, Turn& turn, std::vector<permission::Rule> given) {
  for (permission::Rule& rule : given) {
    rule.origin = permission::Rule::Origin::here;
    warn_of_end(turn, rule, parts.grant_here(permission::to_string(rule)));
    turn.settings.rules.allow.push_back(std::move(rule));
  }
}

// A rule stored by an earlier version is pinned to the tool's present definition.
void pin_definition(const Parts& parts, Turn& turn, const std::string& tool) {
  for (const auto& [bare, pinned] : permission::to_be_pinned(turn.settings.rules, tool)) {
    std::erase(turn.settings.rules.allow, bare);
    const std::string name = permission::to_string(bare);
    const std::vector<std::string>& kept = turn.conversation.state().permissions;
    if (bare.origin == permission::Rule::Origin::here) {
      parts.revoke_here(name);
      keep_rules_here(parts, turn, {pinned});
    } else if (std::ranges::find(kept, name) != kept.end()) {
      keep_rules(parts, turn, {pinned}, name);
    } else {
      turn.settings.rules.allow.push_back(pinned);
    }
  }
}

// The answer is a yes to the call in its new form, unless that form is forbidden.
Permission judge_changed(const Parts& parts, Turn& turn, const model::Tool& tool,
                         model::ToolUse& call, const JsonText& input) {
  call.input = input;
  turn.ports.sink(model::ToolStarted{call, tool.title(call.input)});
  const permission::Decision decision = permission::decide(turn.settings.rules, parts.tools, call);
  if (decision.verdict == Verdict::deny)
    return {false, "refused after the user changed it: " + reason_of(decision)};
  if (const std::string trouble = model::trouble_with_arguments(tool.schema, call.input);
      !trouble.empty())
    return {false, "not run after the user changed it: " + trouble};
  return {true, model::amendment("input", call.input).text, decision.place};
}

Permission ask_user(const Parts& parts, Turn& turn, const model::Tool& tool, model::ToolUse& call,
                    permission::Decision decision, const HookPoints::Verdict& hook) {
  const bool by_hook = hook.choice == hooks::HookChoice::ask;
  std::string note = hook.note;
  for (;;) {
    // A hook asks every time, so "always" is not offered.
    const std::vector<permission::Rule> offered =
        by_hook ? std::vector<permission::Rule>{}
                : permission::remember(turn.settings.rules, parts.tools, call);
    const model::Answer answer =
        turn.ports.ask(question_about(tool, call, decision, offered, by_hook, turn.settings.rules));
    using Choice = model::Answer::Choice;
    if (answer.choice == Choice::no)
      return {false, std::string(model::refusal_opening) +
                         (answer.text.empty() ? "" : ": " + answer.text)};
    if (answer.choice == Choice::always) keep_rules(parts, turn, offered);
    if (answer.choice == Choice::here) keep_rules_here(parts, turn, offered);
    if (answer.choice != Choice::amend && answer.input && *answer.input != call.input)
      return judge_changed(parts, turn, tool, call, *answer.input);
    if (answer.choice != Choice::amend) return {true, note, decision.place};
    // The changed call is judged, shown and asked about as if the model had made it so.
    call.input = with_argument(call.input, tool.amendable, answer.text);
    turn.ports.sink(model::ToolStarted{call, tool.title(call.input)});
    decision = permission::decide(turn.settings.rules, parts.tools, call);
    if (decision.verdict == Verdict::deny)
      return {false, "refused after the user changed it: " + reason_of(decision)};
    note = model::amendment(tool.amendable, answer.text).text;
  }
}

}  // namespace

PermissionGate::Permission PermissionGate::judge(Turn& turn, const model::Tool& tool,
                                                 model::ToolUse& call) {
  const JsonText before = call.input;
  const HookPoints::Verdict hook = hooks_.before_call(turn, call);
  if (hook.choice == hooks::HookChoice::deny) return {false, hook.reason};
  if (turn.ports.stopped()) return {false, "cancelled by the user"};
  if (call.input != before) turn.ports.sink(model::ToolStarted{call, tool.title(call.input)});
  const std::string exposed = tool.needs_sandbox() ? parts_.no_sandbox() : "";
  turn.settings.rules.sandboxed = exposed.empty();
  const permission::Decision decision = decide(parts_, turn, call, hook);
  if (decision.verdict == Verdict::allow) {
    pin_definition(parts_, turn, call.name);
    return {true, hook.note, decision.place};
  }
  if (decision.verdict == Verdict::deny) return {false, reason_of(decision)};
  // The user is not asked about calls that must fail.
  if (std::string trouble = model::trouble_with_arguments(tool.schema, call.input);
      !trouble.empty())
    return {false, "not run: " + trouble};
  if (std::string trouble = certain_failure(turn.settings.rules, parts_.tools, tool, call);
      !trouble.empty())
    return {false, std::move(trouble)};
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
  if (answer.choice == hooks::HookChoice::deny) return {false, answer.reason};
  if (turn.ports.stopped()) return {false, "cancelled by the user"};
  permission::Decision now = decision;
  // A hook that allows answers for the user, even if another hook asks.
  const bool answered = answer.choice == hooks::HookChoice::allow;
  if (answered || call.input != before) now = decide(parts_, turn, call, answered ? answer : hook);
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
  if (!exposed.empty() && !std::exchange(warned_of_sandbox_, true))
    turn.tell(model::Notice::Level::warning, exposed);
  return ask_user(parts_, turn, tool, call, now, hook);
}

}  // namespace skein::agent
