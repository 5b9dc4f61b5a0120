#include "core/agent/hook_points.h"

#include <utility>

#include "core/hooks/outcome_text.h"
#include "core/model/attachments.h"
#include "core/model/payloads.h"
#include "core/text/json.h"

namespace skein::agent {

using hooks::Choice, hooks::Event;

namespace {

constexpr std::size_t most_context = 10'000;      // bytes of a text for the model
constexpr std::size_t most_original = 64u << 10;  // of a result in an entry
constexpr int most_stops = 8;                     // that hooks may keep a turn from ending

std::string_view trigger(bool asked_for) { return asked_for ? "manual" : "auto"; }

std::string refused_by_hook(const std::string& reason) {
  return "a hook refused it" + (reason.empty() ? "" : ": " + reason);
}

// What the last answer was made from, and it.
std::int64_t tokens_used(const std::vector<model::Entry>& path) {
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry)
    if (const auto message = model::message_of(*entry);
        message && message->role == model::Role::assistant && message->usage)
      return message->usage->input + message->usage->cache_read + message->usage->cache_write +
             message->usage->output;
  return 0;
}

}  // namespace

hooks::Moment HookPoints::moment_of(const Turn& turn) const {
  const Conversation& conversation = turn.conversation;
  const std::optional<Id> head = conversation.head();
  return {.session_id = to_string(conversation.session()),
          .session_key = conversation.record().key,
          .transcript = parts_.transcript(conversation.session()),
          .head = head ? to_string(*head) : "",
          .prompt = turn.prompt ? to_string(*turn.prompt) : "",
          .mode = std::string(permission::name(turn.settings.rules.mode)),
          .model = model::to_string(turn.settings.model),
          .usage = model::total_usage(conversation.state()),
          .cost = parts_.cost(conversation.state()),
          .used = tokens_used(conversation.path()),
          .window = parts_.limits(turn.settings.model).window.tokens};
}

hooks::Outcome HookPoints::run(Turn& turn, Event event, const hooks::Subject& subject) {
  hooks::Outcome outcome = parts_.hooks->run(event, subject, moment_of(turn), turn.ports);
  for (const model::Notice& notice : outcome.notices) turn.ports.sink(notice);
  if (outcome.ends_turn && !turn.ended_by_hook) turn.ended_by_hook = outcome.ends_turn;
  return outcome;
}

void HookPoints::record(Turn& turn, std::vector<model::payload::HookRun> runs) {
  std::vector<model::Entry> entries;
  for (const model::payload::HookRun& each : runs) {
    model::Entry& entry = entries.emplace_back(model::make_entry(each));
    entry.payload = parts_.clean(std::move(entry.payload));
    entry.run_id = turn.run_id;
  }
  if (!entries.empty()) turn.commit(std::move(entries));
}

// The rest is kept beside the transcript.
std::string HookPoints::shortened(const std::string& text) const {
  if (text.size() <= most_context) return text;
  const std::string blob = parts_.keep_blob ? parts_.keep_blob(parts_.clean(text)) : "";
  return std::string(utf8_prefix(text, most_context)) + "\n[cut after " +
         with_separators(most_context) + " of " + with_separators(text.size()) + " bytes" +
         (blob.empty() ? "" : "; all of it is kept as " + blob) + "]";
}

// Nobody typed it: it begins no turn, and is no title.
model::Entry HookPoints::told(const Turn& turn, Event event, const std::string& text) const {
  model::Message message = model::user_message(shortened(text));
  message.continuation = true;
  model::Entry entry = model::message_entry(message);
  entry.payload = parts_.clean(std::move(entry.payload));
  entry.meta = model::hook_meta(hooks::name(event));
  entry.run_id = turn.run_id;
  return entry;
}

void HookPoints::begin_session(Turn& turn, std::string_view source) {
  if (!any(Event::session_start)) return;
  const hooks::Outcome outcome =
      run(turn, Event::session_start,
          {.name = std::string(source),
           .more = dump({{"source", source}, {"session_title", turn.conversation.state().title}})});
  const Id session = turn.conversation.session();
  for (const std::string& text : outcome.contexts) waiting_[session].push_back(text);
  record(turn, outcome.runs);
  if (!outcome.title.empty() && !turn.conversation.state().title_given)
    turn.commit({model::make_entry(model::payload::Title{parts_.clean(outcome.title)})});
}

void HookPoints::begin(Turn& turn) {
  if (parts_.hooks == nullptr || !begun_.insert(turn.conversation.session()).second) return;
  const bool first = !std::exchange(any_begun_, true);
  const bool fresh = turn.conversation.state().messages == 0;
  begin_session(turn, fresh ? (first ? "startup" : "new") : (first ? "resume" : "switch"));
}

HookPoints::Prompted HookPoints::before_prompt(Turn& turn, const model::Message& prompt) {
  Prompted out;
  if (parts_.hooks == nullptr) return out;
  begin(turn);
  const Id session = turn.conversation.session();
  hooks::Outcome outcome;
  if (any(Event::user_prompt_submit)) {
    outcome = run(turn, Event::user_prompt_submit,
                  {.more = dump({{"prompt", model::plain_text(prompt)},
                                 {"attachments", model::attached_names(prompt)}})});
    record(turn, outcome.runs);
  }
  if (outcome.choice == Choice::deny)
    out.refusal = "not sent: " + refused_by_hook(outcome.reason);
  else if (turn.ended_by_hook)
    out.refusal = "not sent: " + refused_by_hook(*turn.ended_by_hook);
  if (out.refusal || turn.ports.stopped()) return out;
  for (const std::string& text : std::exchange(waiting_[session], {}))
    out.entries.push_back(told(turn, Event::session_start, text));
  for (const std::string& text : outcome.contexts)
    out.entries.push_back(told(turn, Event::user_prompt_submit, text));
  return out;
}

// What hooks would tell the model waits for a prompt.
std::string HookPoints::before_aside(Turn& turn, const std::string& question) {
  if (parts_.hooks == nullptr) return {};
  begin(turn);
  if (!any(Event::user_prompt_submit)) return {};
  const hooks::Outcome outcome =
      run(turn, Event::user_prompt_submit,
          {.more = dump({{"prompt", question}, {"attachments", std::vector<std::string>{}}})});
  record(turn, outcome.runs);
  if (outcome.choice == Choice::deny) return "not sent: " + refused_by_hook(outcome.reason);
  return turn.ended_by_hook ? "not sent: " + refused_by_hook(*turn.ended_by_hook) : "";
}

HookPoints::Verdict HookPoints::verdict_of(Turn& turn, Event event, model::ToolUse& call,
                                           const hooks::Subject& subject) {
  hooks::Outcome outcome = run(turn, event, subject);
  record(turn, outcome.runs);
  Verdict out{outcome.choice, outcome.reason};
  if (outcome.choice == Choice::deny) out.reason = refused_by_hook(shortened(out.reason));
  if (outcome.input && outcome.choice != Choice::deny && *outcome.input != call.input) {
    call.input = *outcome.input;
    out.note = model::hook_amendment(call.input).text;
  }
  for (const std::string& text : outcome.contexts)
    out.note += (out.note.empty() ? "" : "\n") + shortened(text);
  return out;
}

HookPoints::Verdict HookPoints::before_call(Turn& turn, model::ToolUse& call) {
  if (!any(Event::pre_tool_use)) return {};
  const model::ToolUse asked = call;  // what they are told stays as it was
  return verdict_of(turn, Event::pre_tool_use, call, {.name = call.name, .call = &asked});
}

HookPoints::Verdict HookPoints::before_question(Turn& turn, const model::Tool& tool,
                                                model::ToolUse& call,
                                                const std::vector<std::string>& suggestions) {
  Verdict out;
  const model::ToolUse asked = call;
  if (any(Event::permission_request))
    out = verdict_of(
        turn, Event::permission_request, call,
        {.name = call.name, .more = dump({{"suggestions", suggestions}}), .call = &asked});
  if (out.choice == Choice::ask) out.choice = Choice::none;  // that is about to happen
  if (out.choice == Choice::none && turn.ports.ask && any(Event::notification)) {
    const hooks::Outcome told =
        run(turn, Event::notification,
            {.name = "permission_prompt",
             .more = dump({{"notification_type", "permission_prompt"},
                           {"message", "skein asks whether to " + tool.title(call.input)}})});
    record(turn, told.runs);
  }
  return out;
}

void HookPoints::after_call(Turn& turn, const model::ToolUse& call, model::ToolOutcome& outcome) {
  const Event event = outcome.is_error ? Event::post_tool_use_failure : Event::post_tool_use;
  if (!any(event) || (turn.ports.stopped() && !outcome.is_error)) return;
  hooks::Subject subject{.name = call.name, .call = &call, .outcome = &outcome};
  if (outcome.is_error) subject.more = dump({{"is_interrupt", turn.ports.stopped()}});
  hooks::Outcome said = run(turn, event, subject);
  if (said.output) {
    const std::string original = hooks::text_of(outcome);
    for (model::payload::HookRun& each : said.runs) {
      const bool fits = original.size() <= most_original || !parts_.keep_blob;
      (fits ? each.original : each.blob) =
          fits ? original : parts_.keep_blob(parts_.clean(original));
    }
    outcome.content = {model::Text{*said.output}};
  }
  record(turn, std::move(said.runs));
  if (said.choice == Choice::deny)
    outcome.content.push_back(
        model::Text{"A hook of the user's says of this result: " + shortened(said.reason)});
  for (const std::string& text : said.contexts)
    outcome.content.push_back(model::Text{shortened(text)});
}

// A sub-agent's end is told of in the words of the session that asked for it.
hooks::Subject HookPoints::about_stop(const Turn& turn) const {
  Json more = {{"stop_hook_active", turn.stops_blocked > 0},
               {"last_assistant_message", turn.end.text}};
  if (parts_.sub_agent.empty()) return {.more = dump(more)};
  const store::SessionHeader& own = turn.conversation.record().header;
  more["agent_id"] = to_string(own.session);
  more["agent_type"] = parts_.sub_agent;
  more["agent_transcript_path"] = parts_.transcript(own.session);
  if (own.parent_session) {
    more["session_id"] = to_string(own.parent_session->session);
    more["transcript_path"] = parts_.transcript(own.parent_session->session);
  }
  return {.name = parts_.sub_agent, .more = dump(more)};
}

std::optional<model::Entry> HookPoints::at_stop(Turn& turn) {
  const Event event = parts_.sub_agent.empty() ? Event::stop : Event::subagent_stop;
  if (!any(event) || turn.ports.stopped() || turn.ended_by_hook) return std::nullopt;
  hooks::Outcome outcome = run(turn, event, about_stop(turn));
  record(turn, std::move(outcome.runs));
  if (outcome.choice != Choice::deny || turn.ended_by_hook || turn.ports.stopped())
    return std::nullopt;
  if (++turn.stops_blocked > most_stops) {
    turn.tell(model::Notice::Level::warning,
              "a " + std::string(hooks::name(event)) + " hook kept the turn from ending " +
                  std::to_string(most_stops) + " times; it ends now");
    return std::nullopt;
  }
  return told(turn, event,
              outcome.reason.empty() ? "The user's hook says that this is not finished yet."
                                     : outcome.reason);
}

void HookPoints::turn_done(Turn& turn) {
  if (!any(Event::notification) || turn.ports.stopped()) return;
  hooks::Outcome outcome =
      run(turn, Event::notification,
          {.name = "turn_done",
           .more = dump({{"notification_type", "turn_done"}, {"message", turn.end.text}})});
  record(turn, std::move(outcome.runs));
}

std::string HookPoints::before_compaction(Turn& turn, bool asked_for, const std::string& focus) {
  if (!any(Event::pre_compact)) return {};
  hooks::Outcome outcome =
      run(turn, Event::pre_compact,
          {.name = std::string(trigger(asked_for)),
           .more = dump({{"trigger", trigger(asked_for)}, {"custom_instructions", focus}})});
  record(turn, std::move(outcome.runs));
  return outcome.choice == Choice::deny ? refused_by_hook(outcome.reason) : "";
}

void HookPoints::after_compaction(Turn& turn, bool asked_for, const std::string& summary) {
  if (any(Event::post_compact)) {
    hooks::Outcome outcome =
        run(turn, Event::post_compact,
            {.name = std::string(trigger(asked_for)),
             .more = dump({{"trigger", trigger(asked_for)}, {"compact_summary", summary}})});
    record(turn, std::move(outcome.runs));
  }
  begin_session(turn, "compact");
}

std::string HookPoints::before_model(Turn& turn, const model::ModelRef& to,
                                     const std::vector<std::string>& losses) {
  if (!any(Event::pre_model_switch)) return {};
  hooks::Outcome outcome = run(turn, Event::pre_model_switch,
                               {.more = dump({{"from_model", to_string(turn.settings.model)},
                                              {"to_model", to_string(to)},
                                              {"losses", losses}})});
  record(turn, std::move(outcome.runs));
  return outcome.choice == Choice::deny ? refused_by_hook(outcome.reason) : "";
}

void HookPoints::after_model(Turn& turn, const model::ModelRef& from,
                             const std::vector<std::string>& losses) {
  if (!any(Event::post_model_switch)) return;
  hooks::Outcome outcome = run(turn, Event::post_model_switch,
                               {.more = dump({{"from_model", to_string(from)},
                                              {"to_model", to_string(turn.settings.model)},
                                              {"losses", losses}})});
  record(turn, std::move(outcome.runs));
}

void HookPoints::session_ends(Turn& turn, std::string_view reason) {
  if (begun_.erase(turn.conversation.session()) == 0 || !any(Event::session_end)) return;
  run(turn, Event::session_end, {.name = std::string(reason), .more = dump({{"reason", reason}})});
}

}  // namespace skein::agent
