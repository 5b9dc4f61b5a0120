#include "core/hooks/hooks.h"

#include "core/model/usage_json.h"
#include "core/permission/policy.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::hooks {

namespace {

constexpr int exit_blocks = 2;

std::string first_line(std::string_view text) {
  text = trimmed(text);
  return std::string(utf8_prefix(text.substr(0, text.find('\n')), 200));
}

using Cause = process::CommandEnd::Cause;

// What became of it, if that is not what was agreed on; empty: it ended with 0 or 2.
std::string failure_of(const HookDefinition& definition, const process::CommandEnd& end) {
  const std::string said = first_line(valid_utf8(end.errors));
  switch (end.cause) {
    case Cause::exited:
      if (end.code == 0 || end.code == exit_blocks) return {};
      return "it ended with status " + std::to_string(end.code) + (said.empty() ? "" : ": " + said);
    case Cause::signalled: return "it was ended by signal " + std::to_string(end.code);
    case Cause::timed_out:
      return "it took more than " + short_duration(definition.time_limit().count());
    case Cause::stopped: return "it was stopped";
    case Cause::not_started:
      return "it could not be started: " + std::string(std::strerror(end.code));
  }
  return {};
}

HookChoice parse_choice(std::string_view word) {
  if (word == "allow" || word == "approve") return HookChoice::allow;
  if (word == "ask") return HookChoice::ask;
  return word == "deny" || word == "block" ? HookChoice::deny : HookChoice::none;
}

// The members that belong to one event; those of another do not count.
void take_specific(HookReply& reply, const Json& specific) {
  reply.context = string_at(specific, "additionalContext");
  reply.title = string_at(specific, "sessionTitle");
  if (const std::string word = string_at(specific, "permissionDecision"); !word.empty()) {
    reply.choice = parse_choice(word);
    reply.reason = string_at(specific, "permissionDecisionReason", reply.reason);
  }
  if (const Json& decision = at(specific, "decision"); decision.is_object()) {
    reply.choice = parse_choice(string_at(decision, "behavior"));
    reply.reason = string_at(decision, "message", reply.reason);
    if (at(decision, "updatedInput").is_object()) reply.input = text_at(decision, "updatedInput");
  }
  if (at(specific, "updatedInput").is_object()) reply.input = text_at(specific, "updatedInput");
  for (const char* member : {"updatedToolOutput", "updatedMCPToolOutput"})
    if (const Json& output = at(specific, member); !output.is_null())
      reply.output = output.is_string() ? output.get<std::string>() : dump(output);
}

void take_json(HookReply& reply, const HookDefinition& definition, const Json& said) {
  reply.choice = parse_choice(string_at(said, "decision"));
  reply.reason = string_at(said, "reason");
  reply.message = string_at(said, "systemMessage");
  if (!bool_at(said, "continue", true))
    reply.ends_turn = string_at(said, "stopReason", "it gives no reason");
  const Json& specific = at(said, "hookSpecificOutput");
  if (string_at(specific, "hookEventName", name(definition.event)) == name(definition.event))
    take_specific(reply, specific);
  // What cannot be allowed or asked about can only be kept from happening.
  if (!facts_about(definition.event).of_tool && reply.choice != HookChoice::deny)
    reply.choice = HookChoice::none;
}

std::string exit_words(const process::CommandEnd& end) {
  switch (end.cause) {
    case Cause::exited: return std::to_string(end.code);
    case Cause::signalled: return "signal " + std::to_string(end.code);
    case Cause::timed_out: return "timed out";
    case Cause::stopped: return "stopped";
    case Cause::not_started: return "not started";
  }
  return {};
}

// A condition that cannot be read narrows nothing.
bool covers(const std::string& rule, const model::Tools& tools, const model::ToolUse& call) try {
  return permission::speak_of(permission::parse_rules(rule, tools), tools, call);
} catch (const Error&) {
  return true;
}

Json value_of(const JsonText& text) { return parse_json(text).value_or(Json::object()); }

void add_call(Json& to, const HookDefinition& definition, const HookSubject& subject,
              const std::string& workspace) {
  const model::ToolUse& call = *subject.call;
  const bool there = definition.for_claude;
  to["tool_name"] = there ? claude_name(call.name) : call.name;
  to[there ? "tool_name_skein" : "tool_name_claude"] = there ? call.name : claude_name(call.name);
  to["tool_input"] =
      value_of(there ? input_for_claude(call.name, call.input, workspace) : call.input);
  to["tool_use_id"] = call.id;
  if (subject.outcome == nullptr) return;
  const std::string text = valid_utf8(text_of(*subject.outcome));
  to["duration_ms"] = subject.outcome->duration_ms;
  if (subject.outcome->is_error)
    to["error"] = text;
  else if (there)
    to["tool_response"] = value_of(response_for_claude(call.name, call.input, text, workspace));
  else
    to["tool_response"] = text;
}

model::Notice warning_about(const HookDefinition& definition, const std::string& what) {
  return {model::Notice::Level::warning, "the " + std::string(name(definition.event)) + " hook `" +
                                             shown(definition) + "` " + what};
}

// Combines what programs said, in their order.
class Combined {
 public:
  Combined(Event event, const HookSubject& subject) : event_(event), subject_(subject) {}

  void add(const HookDefinition& definition, const process::CommandEnd& end) {
    HookReply reply = read_reply(definition, end);
    if (!reply.trouble.empty() && end.cause != Cause::stopped)
      out_.notices.push_back(warning_about(definition, "failed: " + reply.trouble));
    if (!reply.message.empty()) out_.notices.push_back({model::Notice::Level::info, reply.message});
    // What came with a project was trusted to be careful, not to be generous.
    if (definition.of_project && reply.choice == HookChoice::allow) {
      out_.notices.push_back(
          warning_about(definition, "is part of the project, so it cannot allow anything"));
      reply.choice = HookChoice::none;
      if (event_ == Event::permission_request) reply.input.reset();
    }
    take(definition, reply);
    record(definition, end, reply);
  }

  HookOutcome result() {
    // What the user's own hook allowed was another call.
    if (changed_by_project_ && out_.choice == HookChoice::allow) out_.choice = HookChoice::none;
    return std::move(out_);
  }

 private:
  void take(const HookDefinition& definition, HookReply& reply) {
    if (reply.choice > out_.choice) {
      out_.choice = reply.choice;
      out_.reason = reply.reason;
    }
    if (reply.input && subject_.call != nullptr) {
      if (definition.for_claude) reply.input = input_from_claude(subject_.call->name, *reply.input);
      out_.input = reply.input;
      changed_by_project_ = definition.of_project;
    }
    if (reply.output && facts_about(event_).of_tool) out_.output = reply.output;
    if (!reply.context.empty()) out_.contexts.push_back(reply.context);
    if (!reply.title.empty()) out_.title = reply.title;
    if (reply.ends_turn && !out_.ends_turn) out_.ends_turn = reply.ends_turn;
  }

  // Of those that had nothing to say only the number is kept.
  void record(const HookDefinition& definition, const process::CommandEnd& end,
              const HookReply& reply) {
    if (reply.choice == HookChoice::none && reply.trouble.empty() && !reply.input &&
        !reply.output && !reply.ends_turn)
      return;
    out_.runs.push_back({.event = std::string(name(event_)),
                         .command = shown(definition),
                         .source = definition.file,
                         .exit = exit_words(end),
                         .ms = end.ms,
                         .decision = std::string(reply.ends_turn ? "stop" : name(reply.choice)),
                         .reason = reply.ends_turn         ? *reply.ends_turn
                                   : !reply.reason.empty() ? reply.reason
                                                           : reply.trouble,
                         .call = subject_.call != nullptr ? subject_.call->id : "",
                         .input = reply.input.value_or("")});
  }

  Event event_;
  const HookSubject& subject_;
  bool changed_by_project_ = false;
  HookOutcome out_{};
};

bool applies(const Hooks::Parts& parts, const HookDefinition& definition,
             const HookSubject& subject) {
  const EventFacts& facts = facts_about(definition.event);
  if (facts.subject.empty()) return true;
  if (!matches(definition.matcher,
               facts.of_tool ? names_of(subject.name) : std::vector<std::string>{subject.name}))
    return false;
  return definition.condition.empty() || subject.call == nullptr || parts.tools == nullptr ||
         covers(definition.condition, *parts.tools, *subject.call);
}

JsonText input_for(const Hooks::Parts& parts, const HookDefinition& definition,
                   const HookSubject& subject, const Moment& moment) {
  Json out = {{"session_id", moment.session_id},
              {"session_key", moment.session_key},
              {"transcript_path", moment.transcript},
              {"head", moment.head},
              {"cwd", parts.workspace},
              {"workspace", parts.workspace},
              {"hook_event_name", name(definition.event)},
              {"permission_mode", moment.mode},
              {"model", moment.model},
              {"usage", model::usage_json(moment.usage)},
              {"cost_usd", moment.cost ? Json(*moment.cost) : Json()},
              {"context", {{"used", moment.used}, {"window", moment.window}}}};
  if (!moment.prompt.empty()) out["prompt_id"] = moment.prompt;
  if (subject.call != nullptr) add_call(out, definition, subject, parts.workspace);
  if (!subject.more.empty()) out.update(value_of(subject.more));
  return dump(out);
}

process::UserCommand command_for(const Hooks::Parts& parts, const HookDefinition& definition,
                                 const HookSubject& subject, const Moment& moment) {
  process::UserCommand command{
      .arguments = {"/bin/sh", "-c", definition.command},
      .environment = parts.environment ? parts.environment(definition) : std::vector<std::string>{},
      .folder = parts.workspace,
      .input = input_for(parts, definition, subject, moment) + "\n",
      .time = definition.time_limit()};
  if (definition.words) {
    command.arguments = *definition.words;
    command.arguments.insert(command.arguments.begin(), with_user_home(definition.command));
  }
  for (const auto& [name, value] :
       {std::pair<const char*, std::string>{"SKEIN_PROJECT_DIR", parts.workspace},
        {"CLAUDE_PROJECT_DIR", parts.workspace},
        {"SKEIN_SESSION_ID", moment.session_id},
        {"SKEIN_HOOK_EVENT", std::string(hooks::name(definition.event))}}) {
    const std::string start = std::string(name) + "=";
    std::erase_if(command.environment,
                  [&](const std::string& each) { return each.starts_with(start); });
    command.environment.push_back(start + value);
  }
  if (definition.event == Event::session_end) command.time = std::min(command.time, time_at_end);
  return command;
}

}  // namespace

std::string_view name(HookChoice choice) {
  constexpr std::string_view names[] = {"", "allow", "ask", "deny"};
  return names[static_cast<std::size_t>(choice)];
}

HookReply read_reply(const HookDefinition& definition, const process::CommandEnd& end) {
  const EventFacts& facts = facts_about(definition.event);
  HookReply reply;
  const std::string text = valid_utf8(end.output);
  const bool as_json = trimmed(text).starts_with('{');
  const std::optional<Json> said = as_json ? parse_json(trimmed(text)) : std::nullopt;
  const bool exited = end.cause == Cause::exited;
  if (said && exited)
    take_json(reply, definition, *said);
  else if (exited && end.code == 0 && !as_json && facts.takes_text)
    reply.context = trimmed(text);

  if (exited && end.code == exit_blocks) {
    const std::string errors(trimmed(valid_utf8(end.errors)));
    if (reply.reason.empty()) reply.reason = errors;
    if (facts.blocks)
      reply.choice = HookChoice::deny;
    else if (reply.message.empty())
      reply.message = errors;
    return reply;
  }
  if (exited && end.code == 0 && as_json && !said)
    reply.trouble = end.cut ? "it printed more than skein reads" : "what it printed is not JSON";
  if (said && exited) return reply;
  const std::string failure = failure_of(definition, end);
  if (!failure.empty()) reply.trouble = failure;
  if (!failure.empty() && definition.block_on_failure && facts.blocks &&
      end.cause != Cause::stopped) {
    reply.choice = HookChoice::deny;
    reply.reason = failure;
  }
  return reply;
}

Hooks::Hooks(Parts parts) : parts_(std::move(parts)) {
  for (HookDefinition& definition : std::exchange(parts_.definitions, {}))
    lines_.push_back({.definition = std::move(definition)});
}

bool Hooks::any(Event event) const {
  return std::ranges::any_of(lines_,
                             [&](const Line& line) { return line.definition.event == event; });
}

HookOutcome Hooks::run(Event event, const HookSubject& subject, const Moment& moment,
                       const model::Ports& ports) {
  std::vector<Line*> chosen, called;
  std::vector<process::UserCommand> commands;
  std::vector<Fd> holds;
  std::vector<model::Notice> refused;
  const Line* missed = nullptr;  // one without which it must not happen
  for (Line& line : lines_) {
    const HookDefinition& definition = line.definition;
    if (definition.event != event || !applies(parts_, definition, subject)) continue;
    if (definition.callback) {
      called.push_back(&line);
      continue;
    }
    Clearance clearance = parts_.clearance(definition);
    const std::string before = std::exchange(line.refusal, std::move(clearance.refusal));
    if (!line.refusal.empty()) {
      if (line.refusal != before)  // once, not at every call
        refused.push_back(warning_about(definition, "was not run: " + line.refusal));
      if (definition.block_on_failure && facts_about(event).blocks) missed = &line;
      continue;
    }
    holds.push_back(std::move(clearance.hold));
    chosen.push_back(&line);
    commands.push_back(command_for(parts_, definition, subject, moment));
  }
  // A call that the user stopped has failed: only a further stop ends the hooks about that.
  const std::function<bool()> stops =
      event == Event::post_tool_use_failure ? model::next_stop(ports) : std::function<bool()>{};
  std::vector<process::CommandEnd> ends;
  if (!commands.empty()) ends = process::run_all(commands, ports, stops);
  for (Line* line : called) {
    const std::int64_t begun = now_ms();
    ends.push_back(line->definition.callback(input_for(parts_, line->definition, subject, moment),
                                             line->definition.time_limit(),
                                             stops ? stops : model::next_stop(ports)));
    ends.back().ms = now_ms() - begun;
    chosen.push_back(line);
  }
  Combined combined(event, subject);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ++chosen[i]->runs;
    chosen[i]->last_exit = exit_words(ends[i]);
    chosen[i]->last_ms = ends[i].ms;
    combined.add(chosen[i]->definition, ends[i]);
  }
  HookOutcome out = combined.result();
  out.notices.insert(out.notices.begin(), refused.begin(), refused.end());
  if (missed != nullptr && out.choice != HookChoice::deny) {
    out.choice = HookChoice::deny;
    out.reason = "the hook `" + shown(missed->definition) + "` was not run: " + missed->refusal;
  }
  return out;
}

}  // namespace skein::hooks
