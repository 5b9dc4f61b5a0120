#include "core/agent/hook_points.h"

#include "core/text/json.h"

namespace skein::agent {

using hooks::HookChoice, hooks::Event;

namespace {

constexpr std::size_t most_context = 10'000;      // bytes of a text for the model
constexpr std::size_t most_original = 64u << 10;  // of a result in an entry
constexpr int most_stops = 8;                     // that hooks may keep a turn from ending

const char* trigger(bool asked_for) { return asked_for ? "manual" : "auto"; }

std::string refused_by_hook(const std::string& reason) {
  return "a hook refused it" + (reason.empty() ? "" : ": " + reason);
}

std::string refusal_in(const hooks::HookOutcome& outcome) {
  return outcome.choice == HookChoice::deny ? refused_by_hook(outcome.reason) : "";
}

JsonText about_switch(const model::ModelRef& from, const model::ModelRef& to,
                      const std::vector<std::string>& losses) {
  return dump({{"from_model", model::to_string(from)},
               {"to_model", model::to_string(to)},
               {"losses", losses}});
}

// The tokens of the last request and of its answer.
std::int64_t tokens_used(const std::vector<model::Entry>& path) {
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry)
    if (const auto message = model::message_of(*entry);
        message && message->role == model::Role::assistant && message->usage)
      return model::context_behind(*message->usage);
  return 0;
}

hooks::Moment moment_of(const Parts& parts, const Turn& turn) {
  const Conversation& conversation = turn.conversation;
  const std::optional<Id> head = conversation.head();
  return {.session_id = to_string(conversation.session()),
          .session_key = conversation.record().key,
          .transcript = parts.transcript(conversation.session()),
          .head = head ? to_string(*head) : "",
          .prompt = turn.prompt ? to_string(*turn.prompt) : "",
          .mode = std::string(permission::name(turn.settings.rules.mode)),
          .model = model::to_string(turn.settings.model),
          .usage = model::total_usage(conversation.state()),
          .cost = parts.cost(conversation.state()),
          .used = tokens_used(conversation.path()),
          .window = parts.limits(turn.settings.model).window.tokens};
}

void record(const Parts& parts, Turn& turn, const hooks::HookOutcome& outcome) {
  std::vector<model::Entry> entries;
  for (const model::payload::HookRun& each : outcome.runs)
    entries.push_back(parts.cleaned(model::make_entry(each), turn.run_id));
  if (!entries.empty()) turn.commit(std::move(entries));
}

// The rest is stored next to the transcript.
std::string shortened(const Parts& parts, const std::string& text) {
  if (text.size() <= most_context) return text;
  const std::string blob = parts.keep_blob ? parts.keep_blob(parts.clean(text)) : "";
  return std::string(utf8_prefix(text, most_context)) + "\n[cut after " +
         with_separators(most_context) + " of " + with_separators(text.size()) + " bytes" +
         (blob.empty() ? "" : "; the whole text is stored as " + blob) + "]";
}

// The user did not type it: it neither begins a turn nor becomes the title.
model::Entry message_from(const Parts& parts, const Turn& turn, Event event,
                          const std::string& text) {
  return parts.cleaned(
      model::informing_entry(shortened(parts, text), model::hook_meta(hooks::name(event))),
      turn.run_id);
}

// A sub-agent's end is reported with the names of the session that asked for it.
JsonText about_stop(const Parts& parts, const Turn& turn) {
  Json more = {{"stop_hook_active", turn.stops_blocked > 0},
               {"last_assistant_message", turn.end.text}};
  if (!parts.sub_agent.empty()) {
    const store::SessionHeader& own = turn.conversation.record().header;
    more["agent_id"] = to_string(own.session);
    more["agent_type"] = parts.sub_agent;
    more["agent_transcript_path"] = parts.transcript(own.session);
    if (own.parent_session) {
      more["session_id"] = to_string(own.parent_session->session);
      more["transcript_path"] = parts.transcript(own.parent_session->session);
    }
  }
  return dump(more);
}

}  // namespace

hooks::HookOutcome HookPoints::run(Turn& turn, Event event, const hooks::HookSubject& subject) {
  hooks::HookOutcome outcome =
      parts_.hooks->run(event, subject, moment_of(parts_, turn), turn.ports);
  for (const model::Notice& notice : outcome.notices) turn.ports.sink(notice);
  if (outcome.ends_turn && !turn.ended_by_hook) turn.ended_by_hook = outcome.ends_turn;
  return outcome;
}

hooks::HookOutcome HookPoints::ask(Turn& turn, Event event, std::string_view name,
                                   const std::function<JsonText()>& more,
                                   const model::ToolUse* call) {
  if (!any(event)) return {};
  hooks::HookOutcome outcome =
      run(turn, event, {.name = std::string(name), .more = more(), .call = call});
  record(parts_, turn, outcome);
  return outcome;
}

void HookPoints::begin_session(Turn& turn, std::string_view source) {
  const hooks::HookOutcome outcome = ask(turn, Event::session_start, source, [&] {
    return dump({{"source", source}, {"session_title", turn.conversation.state().title}});
  });
  std::ranges::copy(outcome.contexts, std::back_inserter(waiting_[turn.conversation.session()]));
  if (!outcome.title.empty() && !turn.conversation.state().title_given)
    turn.commit({model::make_entry(model::payload::Title{parts_.clean(outcome.title)})});
}

void HookPoints::begin(Turn& turn) {
  if (parts_.hooks == nullptr || !begun_.insert(turn.conversation.session()).second) return;
  const bool first = !std::exchange(any_begun_, true);
  const bool fresh = turn.conversation.state().messages == 0;
  begin_session(turn, fresh ? (first ? "startup" : "new") : (first ? "resume" : "switch"));
}

HookPoints::Prompted HookPoints::submit(Turn& turn, const std::string& text,
                                        const std::vector<std::string>& attachments) {
  begin(turn);
  hooks::HookOutcome outcome = ask(turn, Event::user_prompt_submit, "", [&] {
    return dump({{"prompt", text}, {"attachments", attachments}});
  });
  Prompted out{.contexts = std::move(outcome.contexts)};
  if (outcome.choice == HookChoice::deny)
    out.refusal = "not sent: " + refused_by_hook(outcome.reason);
  else if (turn.ended_by_hook)
    out.refusal = "not sent: " + refused_by_hook(*turn.ended_by_hook);
  return out;
}

HookPoints::Prompted HookPoints::before_prompt(Turn& turn, const model::Message& prompt) {
  if (parts_.hooks == nullptr) return {};
  Prompted out = submit(turn, model::plain_text(prompt), model::attached_names(prompt));
  if (!out.refusal.empty() || turn.ports.stopped()) return out;
  for (const std::string& text : std::exchange(waiting_[turn.conversation.session()], {}))
    out.entries.push_back(message_from(parts_, turn, Event::session_start, text));
  for (const std::string& text : out.contexts)
    out.entries.push_back(message_from(parts_, turn, Event::user_prompt_submit, text));
  return out;
}

// Texts of hooks for the model wait for the next prompt.
std::string HookPoints::before_aside(Turn& turn, const std::string& question) {
  return parts_.hooks == nullptr ? "" : submit(turn, question, {}).refusal;
}

HookPoints::Verdict HookPoints::verdict_of(Turn& turn, Event event, model::ToolUse& call,
                                           const JsonText& more) {
  const model::ToolUse asked = call;  // each hook gets the call as it was
  const hooks::HookOutcome outcome = ask(
      turn, event, call.name, [&] { return more; }, &asked);
  Verdict out{outcome.choice, outcome.reason};
  if (outcome.choice == HookChoice::deny)
    out.reason = refused_by_hook(shortened(parts_, out.reason));
  if (outcome.input && outcome.choice != HookChoice::deny && *outcome.input != call.input) {
    call.input = *outcome.input;
    out.note = model::hook_amendment(call.input).text;
  }
  for (const std::string& text : outcome.contexts)
    out.note += (out.note.empty() ? "" : "\n") + shortened(parts_, text);
  return out;
}

HookPoints::Verdict HookPoints::before_call(Turn& turn, model::ToolUse& call) {
  return verdict_of(turn, Event::pre_tool_use, call, {});
}

HookPoints::Verdict HookPoints::before_question(Turn& turn, const model::Tool& tool,
                                                model::ToolUse& call,
                                                const std::vector<std::string>& suggestions) {
  Verdict out =
      verdict_of(turn, Event::permission_request, call, dump({{"suggestions", suggestions}}));
  if (out.choice == HookChoice::ask) out.choice = HookChoice::none;  // that is about to happen
  if (out.choice == HookChoice::none && turn.ports.ask)
    ask(turn, Event::notification, "permission_prompt", [&] {
      return dump({{"notification_type", "permission_prompt"},
                   {"message", "skein asks whether to " + tool.title(call.input)}});
    });
  return out;
}

void HookPoints::after_call(Turn& turn, const model::ToolUse& call, model::ToolOutcome& outcome) {
  const Event event = outcome.is_error ? Event::post_tool_use_failure : Event::post_tool_use;
  if (!any(event) || (turn.ports.stopped() && !outcome.is_error)) return;
  hooks::HookSubject subject{.name = call.name, .call = &call, .outcome = &outcome};
  if (outcome.is_error) subject.more = dump({{"is_interrupt", turn.ports.stopped()}});
  hooks::HookOutcome said = run(turn, event, subject);
  if (said.output) {
    const std::string original = hooks::text_of(outcome);
    for (model::payload::HookRun& each : said.runs) {
      const bool fits = original.size() <= most_original || !parts_.keep_blob;
      (fits ? each.original : each.blob) =
          fits ? original : parts_.keep_blob(parts_.clean(original));
    }
    outcome.content = {model::Text{*said.output}};
  }
  record(parts_, turn, said);
  if (said.choice == HookChoice::deny)
    outcome.content.push_back(
        model::Text{"The user's hook says about this result: " + shortened(parts_, said.reason)});
  for (const std::string& text : said.contexts)
    outcome.content.push_back(model::Text{shortened(parts_, text)});
}

std::optional<model::Entry> HookPoints::at_stop(Turn& turn) {
  const Event event = parts_.sub_agent.empty() ? Event::stop : Event::subagent_stop;
  if (turn.ports.stopped() || turn.ended_by_hook) return std::nullopt;
  const hooks::HookOutcome outcome =
      ask(turn, event, parts_.sub_agent, [&] { return about_stop(parts_, turn); });
  if (outcome.choice != HookChoice::deny || turn.ended_by_hook || turn.ports.stopped())
    return std::nullopt;
  if (++turn.stops_blocked > most_stops) {
    turn.tell(model::Notice::Level::warning,
              "a " + std::string(hooks::name(event)) + " hook kept the turn from ending " +
                  std::to_string(most_stops) + " times; it ends now");
    return std::nullopt;
  }
  return message_from(parts_, turn, event,
                      outcome.reason.empty() ? "The user's hook says that this is not finished yet."
                                             : outcome.reason);
}

void HookPoints::turn_done(Turn& turn) {
  if (turn.ports.stopped()) return;
  ask(turn, Event::notification, "turn_done", [&] {
    return dump({{"notification_type", "turn_done"}, {"message", turn.end.text}});
  });
}

std::string HookPoints::before_compaction(Turn& turn, bool asked_for, const std::string& focus) {
  return refusal_in(ask(turn, Event::pre_compact, trigger(asked_for), [&] {
    return dump({{"trigger", trigger(asked_for)}, {"custom_instructions", focus}});
  }));
}

void HookPoints::after_compaction(Turn& turn, bool asked_for, const std::string& summary) {
  ask(turn, Event::post_compact, trigger(asked_for), [&] {
    return dump({{"trigger", trigger(asked_for)}, {"compact_summary", summary}});
  });
  begin_session(turn, "compact");
}

std::string HookPoints::before_model(Turn& turn, const model::ModelRef& to,
                                     const std::vector<std::string>& losses) {
  return refusal_in(ask(turn, Event::pre_model_switch, "",
                        [&] { return about_switch(turn.settings.model, to, losses); }));
}

void HookPoints::after_model(Turn& turn, const model::ModelRef& from,
                             const std::vector<std::string>& losses) {
  ask(turn, Event::post_model_switch, "",
      [&] { return about_switch(from, turn.settings.model, losses); });
}

void HookPoints::session_ends(Turn& turn, std::string_view reason) {
  if (begun_.erase(turn.conversation.session()) == 0 || !any(Event::session_end)) return;
  run(turn, Event::session_end, {.name = std::string(reason), .more = dump({{"reason", reason}})});
}

}  // namespace skein::agent
