#include "core/hooks/hooks.h"

#include <algorithm>
#include <utility>

#include "core/hooks/claude_names.h"
#include "core/hooks/outcome_text.h"
#include "core/model/pause.h"
#include "core/model/usage_json.h"
#include "core/permission/policy.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::hooks {

namespace {

std::uint32_t bit_of(Event event) { return 1u << static_cast<unsigned>(event); }

std::string exit_words(const ProcessEnd& end) {
  switch (end.cause) {
    case ProcessEnd::Cause::exited: return std::to_string(end.code);
    case ProcessEnd::Cause::signalled: return "signal " + std::to_string(end.code);
    case ProcessEnd::Cause::timed_out: return "timed out";
    case ProcessEnd::Cause::stopped: return "stopped";
    case ProcessEnd::Cause::not_started: return "not started";
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

void add_call(Json& to, const Definition& definition, const Subject& subject,
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

// Combines what programs said, in their order.
class Combined {
 public:
  Combined(Event event, const Subject& subject) : event_(event), subject_(subject) {}

  void add(const Definition& definition, const ProcessEnd& end) {
    Reply reply = read_reply(definition, end);
    const std::string who = std::string(name(event_)) + " hook `" + shown(definition) + "`";
    if (!reply.trouble.empty() && end.cause != ProcessEnd::Cause::stopped)
      tell(model::Notice::Level::warning, "the " + who + " failed: " + reply.trouble);
    if (!reply.message.empty()) tell(model::Notice::Level::info, reply.message);
    // What came with a project was trusted to be careful, not to be generous.
    if (definition.of_project && reply.choice == Choice::allow) {
      tell(model::Notice::Level::warning,
           "the " + who + " came with the project and may not allow anything");
      reply.choice = Choice::none;
      if (event_ == Event::permission_request) reply.input.reset();
    }
    take(definition, reply);
    record(definition, end, reply);
  }

  Outcome result() {
    // What the user's own hook allowed was another call.
    if (changed_by_project_ && out_.choice == Choice::allow) out_.choice = Choice::none;
    return std::move(out_);
  }

 private:
  void tell(model::Notice::Level level, std::string text) {
    out_.notices.push_back({level, std::move(text)});
  }

  void take(const Definition& definition, Reply& reply) {
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
  void record(const Definition& definition, const ProcessEnd& end, const Reply& reply) {
    if (reply.choice == Choice::none && reply.trouble.empty() && !reply.input && !reply.output &&
        !reply.ends_turn)
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
  const Subject& subject_;
  bool changed_by_project_ = false;
  Outcome out_{};
};

}  // namespace

Hooks::Hooks(Parts parts) : parts_(std::move(parts)) {
  for (Definition& definition : parts_.definitions) {
    events_ |= bit_of(definition.event);
    lines_.push_back({.definition = std::move(definition)});
  }
  parts_.definitions.clear();
}

bool Hooks::any(Event event) const { return (events_ & bit_of(event)) != 0; }

bool Hooks::applies(const Definition& definition, const Subject& subject) const {
  const EventFacts& facts = facts_about(definition.event);
  if (facts.subject.empty()) return true;
  if (!matches(definition.matcher,
               facts.of_tool ? names_of(subject.name) : std::vector<std::string>{subject.name}))
    return false;
  return definition.condition.empty() || subject.call == nullptr || parts_.tools == nullptr ||
         covers(definition.condition, *parts_.tools, *subject.call);
}

JsonText Hooks::input_for(const Definition& definition, const Subject& subject,
                          const Moment& moment) const {
  Json out = {{"session_id", moment.session_id},
              {"session_key", moment.session_key},
              {"transcript_path", moment.transcript},
              {"head", moment.head},
              {"cwd", parts_.workspace},
              {"workspace", parts_.workspace},
              {"hook_event_name", name(definition.event)},
              {"permission_mode", moment.mode},
              {"model", moment.model},
              {"usage", model::usage_json(moment.usage)},
              {"cost_usd", moment.cost ? Json(*moment.cost) : Json()},
              {"context", {{"used", moment.used}, {"window", moment.window}}}};
  if (!moment.prompt.empty()) out["prompt_id"] = moment.prompt;
  if (subject.call != nullptr) add_call(out, definition, subject, parts_.workspace);
  if (!subject.more.empty()) out.update(value_of(subject.more));
  return dump(out);
}

Order Hooks::order_for(const Definition& definition, const Subject& subject,
                       const Moment& moment) const {
  Order order{.arguments = {"/bin/sh", "-c", definition.command},
              .environment =
                  parts_.environment ? parts_.environment(definition) : std::vector<std::string>{},
              .folder = parts_.workspace,
              .input = input_for(definition, subject, moment) + "\n",
              .time = definition.time_limit()};
  if (definition.words) {
    order.arguments = *definition.words;
    order.arguments.insert(order.arguments.begin(), with_user_home(definition.command));
  }
  for (const auto& [name, value] :
       {std::pair<const char*, std::string>{"SKEIN_PROJECT_DIR", parts_.workspace},
        {"CLAUDE_PROJECT_DIR", parts_.workspace},
        {"SKEIN_SESSION_ID", moment.session_id},
        {"SKEIN_HOOK_EVENT", std::string(hooks::name(definition.event))}}) {
    const std::string start = std::string(name) + "=";
    std::erase_if(order.environment,
                  [&](const std::string& each) { return each.starts_with(start); });
    order.environment.push_back(start + value);
  }
  if (definition.event == Event::session_end) order.time = std::min(order.time, time_at_end);
  return order;
}

Outcome Hooks::run(Event event, const Subject& subject, const Moment& moment,
                   const model::Ports& ports) {
  std::vector<Line*> chosen;
  std::vector<Order> orders;
  std::vector<Fd> holds;
  std::vector<model::Notice> refused;
  const Line* missed = nullptr;  // one without which it must not happen
  for (Line& line : lines_) {
    const Definition& definition = line.definition;
    if (definition.event != event || !applies(definition, subject)) continue;
    Clearance clearance = parts_.clearance(definition);
    const std::string before = std::exchange(line.refusal, std::move(clearance.refusal));
    if (!line.refusal.empty()) {
      if (line.refusal != before)  // once, not at every call
        refused.push_back({model::Notice::Level::warning, "the " + std::string(name(event)) +
                                                              " hook `" + shown(definition) +
                                                              "` was not run: " + line.refusal});
      if (definition.block_on_failure && facts_about(event).blocks) missed = &line;
      continue;
    }
    holds.push_back(std::move(clearance.hold));
    chosen.push_back(&line);
    orders.push_back(order_for(definition, subject, moment));
  }
  // A call that the user stopped has failed: only a further stop ends the hooks about that.
  const std::function<bool()> stops =
      event == Event::post_tool_use_failure ? model::next_stop(ports) : std::function<bool()>{};
  const std::vector<ProcessEnd> ends =
      orders.empty() ? std::vector<ProcessEnd>{} : run_all(orders, ports, stops);
  Combined combined(event, subject);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ++chosen[i]->runs;
    chosen[i]->last_exit = exit_words(ends[i]);
    chosen[i]->last_ms = ends[i].ms;
    combined.add(chosen[i]->definition, ends[i]);
  }
  Outcome out = combined.result();
  out.notices.insert(out.notices.begin(), refused.begin(), refused.end());
  if (missed != nullptr && out.choice != Choice::deny) {
    out.choice = Choice::deny;
    out.reason = "the hook `" + shown(missed->definition) + "` was not run: " + missed->refusal;
  }
  return out;
}

}  // namespace skein::hooks
