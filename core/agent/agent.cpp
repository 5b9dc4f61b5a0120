#include "core/agent/agent.h"

#include "core/context/sent_request.h"
#include "core/text/request_text.h"

namespace skein::agent {

namespace {

constexpr const char* go_on_text = "Continue.";
constexpr const char* cut_text =
    "Your last answer was cut off. Continue exactly where it stopped and do not repeat any of it.";

bool is_whole(const model::Message& answer) {
  return answer.stop == model::Stop::stop || answer.stop == model::Stop::refusal;
}

// Whether any part of the answer is sent to a model. Unsigned thinking of an answer that was cut
// off is not sent; see handover::fate.
bool is_sent(const model::Message& answer) {
  return std::ranges::any_of(answer.content, [&](const model::Block& block) {
    if (const auto* const text = std::get_if<model::Text>(&block)) return !is_blank(text->text);
    const auto* const thinking = std::get_if<model::Thinking>(&block);
    return thinking == nullptr || is_whole(answer) || !thinking->signature.empty() ||
           !thinking->provider_data.empty();
  });
}

// The last message of the path if it is an answer. Answers that are not sent do not count.
std::optional<model::Message> last_answer(const std::vector<model::Entry>& path) {
  for (const model::Entry& entry : path | std::views::reverse) {
    std::optional<model::Message> message = model::message_of(entry);
    if (!message || (message->role == model::Role::assistant && !is_sent(*message))) continue;
    if (model::tells_changes(entry)) continue;  // a later beginning takes its place
    return message->role == model::Role::assistant ? message : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Id> last_prompt(const Conversation& conversation) {
  const auto asks = [](const model::Entry& entry) { return model::is_prompt(entry); };
  const std::vector<model::Entry> path = conversation.path_until(asks);
  const auto prompt = std::ranges::find_if(path, asks);
  return prompt != path.end() ? std::optional(prompt->id) : std::nullopt;
}

bool has_message(const std::vector<model::Entry>& path) {
  return std::ranges::find(path, model::type::message, &model::Entry::type) != path.end();
}

// The message that asks the model to continue; none if the path does not end in an answer.
std::optional<model::Entry> continuation(const std::vector<model::Entry>& path) {
  const std::optional<model::Message> last = last_answer(path);
  if (!last) return std::nullopt;
  return model::informing_entry(is_whole(*last) ? go_on_text : cut_text);
}

// While the user thinks about a question the time of the turn does not pass.
template <class Result, class Asked>
void stop_clock_during(std::function<Result(const Asked&)>& ask, budget::Budget& budget) {
  if (ask)
    ask = [&budget, ask](const Asked& asked) {
      budget.begin_wait();
      const std::unique_ptr<budget::Budget, void (*)(budget::Budget*)> wait(
          &budget, [](budget::Budget* counted) { counted->end_wait(); });
      return ask(asked);
    };
}

// From here on calls count as those of this turn. The turn of a sub-agent is part of another one.
model::Ports begin_budget(const Parts& parts, const Conversation& conversation,
                          model::Ports ports) {
  if (parts.budget == nullptr || !parts.sub_agent.empty()) return ports;
  parts.budget->begin_turn(conversation.session(), parts.spent(conversation));
  stop_clock_during(ports.ask, *parts.budget);
  stop_clock_during(ports.ask_line, *parts.budget);
  stop_clock_during(ports.inquire, *parts.budget);
  stop_clock_during(ports.review, *parts.budget);
  return ports;
}

// Puts settings back however the turn ends, even with a session that cannot be written.
struct SettingsPutBack {
  Turn& turn;
  explicit SettingsPutBack(Turn& of) : turn(of) {}
  SettingsPutBack(const SettingsPutBack&) = delete;
  SettingsPutBack& operator=(const SettingsPutBack&) = delete;
  ~SettingsPutBack() {
    if (turn.chosen_model) turn.settings.model = *turn.chosen_model;
    // The last of each: an equal rule that was there before stays.
    std::vector<permission::Rule>& allowed = turn.settings.rules.allow;
    for (const permission::Rule& rule : turn.temporary_rules)
      if (const auto found = std::find(allowed.rbegin(), allowed.rend(), rule);
          found != allowed.rend())
        allowed.erase(std::next(found).base());
  }
};

}  // namespace

TurnEnd Agent::run_turn(Conversation& conversation, const Prompt& prompt, Settings& settings,
                        const model::Ports& ports) {
  return take_turn(conversation, &prompt, settings, ports);
}

TurnEnd Agent::go_on(Conversation& conversation, Settings& settings, const model::Ports& ports) {
  if (!has_message(conversation.path()))
    return {.stop = model::Stop::error, .error = "nothing has been said yet"};
  return take_turn(conversation, nullptr, settings, ports);
}

TurnEnd Agent::take_turn(Conversation& conversation, const Prompt* prompt, Settings& settings,
                         const model::Ports& ports) {
  const model::Ports timed = begin_budget(parts_, conversation, ports);
  Turn turn{conversation, settings, timed};
  const SettingsPutBack put_back(turn);
  if (!begin(turn, prompt)) return turn.end;
  const std::optional<Id> own = turn.prompt;
  loop(turn);
  end(turn);
  turn.end.unanswered =
      prompt != nullptr && turn.prompt == own && failed_prompt(conversation.path());
  return turn.end;
}

// The order of the entries is part of what is sent: results of open calls, changes, hooks, what has
// arrived, and last what asks the model.
bool Agent::begin(Turn& turn, const Prompt* prompt) {
  parts_.before_turn(turn.ports);
  HookPoints::Prompted hooked;
  if (prompt != nullptr)
    hooked = hooks_.before_prompt(turn, prompt->message);
  else
    hooks_.begin(turn);
  const bool refused = !hooked.refusal.empty();
  if (refused || (prompt != nullptr && parts_.hooks != nullptr && turn.ports.stopped())) {
    turn.end = {.stop = refused ? model::Stop::error : model::Stop::aborted,
                .error = parts_.clean(hooked.refusal),
                .not_sent = true};
    return false;
  }
  plan_mode_.choose_model(turn);
  // The failed prompt that this prompt replaces.
  const std::optional<FailedPrompt> failed =
      prompt != nullptr ? failed_prompt(turn.conversation.path()) : std::nullopt;
  std::vector<model::Entry> entries = failed ? failed->notes : recovery_.closed_calls(turn);
  const bool closes_calls = !failed && !entries.empty();
  std::ranges::move(changed_context(turn), std::back_inserter(entries));
  std::ranges::move(hooked.entries, std::back_inserter(entries));
  std::ranges::move(arrived(turn), std::back_inserter(entries));
  if (prompt != nullptr) {
    model::Entry entry = model::message_entry(prompt->message, prompt->meta);
    turn.prompt = entry.id;
    entries.push_back(parts_.cleaned(std::move(entry), turn.run_id));
    turn.commit_prompt(std::move(entries), failed);
    calls_.add_temporary_rules(turn, prompt->temporary_rules);
    return true;
  }
  if (const auto request = closes_calls ? std::nullopt : continuation(turn.conversation.path()))
    entries.push_back(parts_.cleaned(*request, turn.run_id));
  if (!entries.empty()) turn.commit(std::move(entries));
  turn.prompt = last_prompt(turn.conversation);
  return true;
}

void Agent::loop(Turn& turn) {
  // Keeps other processes from treating our open calls as left by a crash. The turn runs without
  // it, too.
  store::SessionLease at_work;
  while (turn.end.calls < turn.settings.max_calls) {
    if (!at_work)
      if (const auto held =
              parts_.store.presence().hold(turn.conversation.session(), store::LockMode::shared))
        at_work = *held;
    const std::optional<model::Message> reply = ask(turn);
    if (!reply) return turn.end_at_limit(turn.over_budget);
    const bool asks_again = calls_.run(turn, *reply);
    if (asks_again) take_in_arrived(turn);
    if (turn.ended_by_hook) return turn.end_by_hook();
    if (asks_again) continue;
    if (turn.decided || turn.end.stop != model::Stop::stop) return;
    std::optional<model::Entry> more = hooks_.at_stop(turn);
    if (!more) return;
    turn.commit({*std::move(more)});
  }
  turn.end_at_limit("stopped after " + std::to_string(turn.end.calls) +
                    " model calls for one prompt (--max-turns raises the limit)");
}

std::optional<model::Message> Agent::ask(Turn& turn) {
  plan_mode_.choose_model(turn);
  model::Message reply = models_.ask(turn);
  if (!turn.over_budget.empty()) return std::nullopt;
  ++turn.end.calls;
  model::Entry entry = parts_.cleaned(model::message_entry(reply), turn.run_id);
  entry.id = std::exchange(turn.answer, random_id());
  if (turn.request) entry.meta = context::request_meta(*turn.request);
  turn.commit({std::move(entry)});
  turn.end.text = parts_.clean(model::plain_text(reply));
  turn.end.stop = reply.stop;
  turn.end.error = parts_.clean(reply.error);
  turn.end.empty = model::is_empty_answer(reply);
  return reply;
}

void Agent::end(Turn& turn) {
  save_changed_files(parts_, turn);
  Fallback::end(turn);
  PlanMode::end(turn);
  hooks_.turn_done(turn);
}

std::vector<model::Entry> Agent::changed_context(const Turn& turn) {
  if (turn.conversation.state().system.empty()) parts_.look_around(turn.settings);
  models_.read_for_request(turn.conversation, turn.settings);
  std::vector<model::Entry> entries = context_.before_turn(turn);
  std::ranges::move(changes_to(turn.conversation.state(), turn.settings.model),
                    std::back_inserter(entries));
  for (model::Entry& entry : entries) entry.run_id = turn.run_id;
  return entries;
}

std::vector<model::Entry> Agent::arrived(const Turn& turn) const {
  if (parts_.inbox == nullptr) return {};
  std::vector<model::Entry> entries = parts_.inbox->take(turn.conversation.session());
  for (model::Entry& entry : entries) entry = parts_.cleaned(std::move(entry), turn.run_id);
  return entries;
}

// A prompt that is sent during a turn is shown to hooks like any other. The files are saved first,
// so that the user can go back to before it. After a stop it stays queued and can be revoked.
void Agent::take_in_arrived(Turn& turn) {
  if (turn.ports.stopped()) return;
  std::vector<model::Entry> entries;
  std::optional<Id> prompt;
  for (model::Entry& entry : arrived(turn)) {
    if (model::is_prompt(entry)) {
      HookPoints::Prompted prompted = hooks_.before_prompt(turn, *model::message_of(entry));
      if (!prompted.refusal.empty()) {
        turn.tell(model::Notice::Level::warning, parts_.clean(prompted.refusal));
        continue;
      }
      std::ranges::move(prompted.entries, std::back_inserter(entries));
      prompt = entry.id;
    }
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) return;
  if (prompt) save_changed_files(parts_, turn);
  turn.commit(std::move(entries));
  if (prompt) turn.prompt = prompt;
}

void Agent::note(Conversation& conversation, const std::string& text, Settings& settings,
                 const model::Ports& ports) {
  note(conversation, model::message_entry(model::user_message(text), model::note_meta), settings,
       ports);
}

void Agent::note(Conversation& conversation, model::Entry note, Settings& settings,
                 const model::Ports& ports) {
  Turn turn{conversation, settings, ports};
  std::vector<model::Entry> entries = recovery_.closed_calls(turn);
  // It belongs to no run: the model is not asked to answer it.
  entries.push_back(parts_.cleaned(std::move(note)));
  turn.commit_prompt(std::move(entries));
}

model::Message Agent::ask_aside(Conversation& conversation, const std::string& question,
                                Settings& settings, const model::Ports& ports) {
  begin_budget(parts_, conversation, ports);
  Turn turn{conversation, settings, ports};
  if (std::string refusal = hooks_.before_aside(turn, question); !refusal.empty())
    return {.role = model::Role::assistant,
            .stop = model::Stop::error,
            .error = parts_.clean(std::move(refusal))};
  model::Message reply = models_.ask_aside(turn, question);
  const std::string answer = model::plain_text(reply);
  if (answer.empty() && !reply.usage) return reply;
  turn.commit({parts_.cleaned(model::aside_entry({.question = question,
                                                  .answer = answer,
                                                  .provider = settings.model.provider,
                                                  .model = settings.model.model,
                                                  .usage = reply.usage,
                                                  .duration_ms = reply.duration_ms}))});
  return reply;
}

void Agent::drop_result(Conversation& conversation, Id entry, const std::string& text,
                        const Settings& settings, const model::Ports& ports) {
  Settings own = settings;
  Turn{conversation, own, ports}.commit(context_.dropping(conversation, settings, entry, text));
}

Compacted Agent::compact(Conversation& conversation, const std::string& focus,
                         const Settings& settings, const model::Ports& ports) {
  Settings own = settings;
  begin_budget(parts_, conversation, ports);
  Turn turn{conversation, own, ports};
  if (std::string refusal = hooks_.before_compaction(turn, true, focus); !refusal.empty())
    return {.why_not = std::move(refusal)};
  Compacted out = models_.compact(conversation, focus, settings, ports);
  if (out.done) hooks_.after_compaction(turn, true, out.summary);
  return out;
}

}  // namespace skein::agent
