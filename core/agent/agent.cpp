#include "core/agent/agent.h"

#include <algorithm>
#include <utility>

#include "core/handover/normalize.h"
#include "core/model/aside.h"
#include "core/model/payloads.h"
#include "core/model/turns.h"
#include "core/text/request_text.h"

namespace skein::agent {

namespace {

constexpr const char* go_on_text = "Go on.";
constexpr const char* cut_text =
    "Your last answer was cut off. Go on exactly where it stopped, and repeat nothing of it.";

bool is_whole(const model::Message& answer) {
  return answer.stop == model::Stop::stop || answer.stop == model::Stop::refusal;
}

// Whether a model may get to see anything of it. Of an answer that was cut off, a thought that is
// not signed is not sent; see handover::fate.
bool is_sent(const model::Message& answer) {
  return std::ranges::any_of(answer.content, [&](const model::Block& block) {
    if (const auto* const text = std::get_if<model::Text>(&block)) return !is_blank(text->text);
    const auto* const thinking = std::get_if<model::Thinking>(&block);
    return thinking == nullptr || is_whole(answer) || !thinking->signature.empty() ||
           !thinking->provider_data.empty();
  });
}

// The last message of the path if it is an answer. One of which nothing is sent does not count.
std::optional<model::Message> last_answer(const std::vector<model::Entry>& path) {
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry) {
    std::optional<model::Message> message = entry->type == model::type::message
                                                ? model::message_from_json(entry->payload)
                                                : std::nullopt;
    if (!message || (message->role == model::Role::assistant && !is_sent(*message))) continue;
    if (model::tells_changes(*entry)) continue;  // a later beginning takes its place
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

// However the turn ends, even with the session that cannot be written.
class ModelPutBack {
 public:
  explicit ModelPutBack(Turn& turn) : turn_(turn) {}
  ~ModelPutBack() {
    if (turn_.chosen_model) turn_.settings.model = *turn_.chosen_model;
  }
  ModelPutBack(const ModelPutBack&) = delete;
  ModelPutBack& operator=(const ModelPutBack&) = delete;

 private:
  Turn& turn_;
};

}  // namespace

model::Entry Agent::entry_for(const model::Message& message, const std::string& run_id) const {
  model::Entry entry = model::message_entry(message);
  entry.payload = parts_.clean(std::move(entry.payload));
  entry.run_id = run_id;
  return entry;
}

TurnEnd Agent::run_turn(Conversation& conversation, const Prompt& prompt, Settings& settings,
                        const model::Ports& ports) {
  parts_.before_turn(ports);
  Turn turn{conversation, settings, ports};
  HookPoints::Prompted prompted = hooks_.before_prompt(turn, prompt.message);
  if (prompted.refusal || (parts_.hooks != nullptr && ports.stopped())) {
    turn.end = {.stop = prompted.refusal ? model::Stop::error : model::Stop::aborted,
                .error = parts_.clean(prompted.refusal.value_or("")),
                .not_sent = true};
    return turn.end;
  }
  const ModelPutBack put_back(turn);
  plan_mode_.choose_model(turn);
  const std::optional<FailedPrompt> failed = failed_prompt(conversation.path());
  std::vector<model::Entry> entries = failed ? failed->notes : closed_calls(turn);
  for (model::Entry& entry : changed_surroundings(turn)) entries.push_back(std::move(entry));
  for (model::Entry& entry : prompted.entries) entries.push_back(std::move(entry));
  for (model::Entry& entry : arrived(turn)) entries.push_back(std::move(entry));
  entries.push_back(entry_for(prompt.message, turn.run_id));
  entries.back().meta = parts_.clean(prompt.meta);
  const Id own = entries.back().id;
  turn.prompt = own;
  turn.commit_prompt(std::move(entries), failed);
  lend(turn, prompt.lends);
  loop(turn);
  turn.end.unanswered = turn.prompt == own && failed_prompt(conversation.path());
  return turn.end;
}

void Agent::note(Conversation& conversation, const std::string& text, Settings& settings,
                 const model::Ports& ports) {
  model::Entry entry = model::message_entry(model::user_message(text));
  entry.meta = model::note_meta;
  note(conversation, std::move(entry), settings, ports);
}

void Agent::note(Conversation& conversation, model::Entry note, Settings& settings,
                 const model::Ports& ports) {
  Turn turn{conversation, settings, ports};
  std::vector<model::Entry> entries = closed_calls(turn);
  note.payload = parts_.clean(std::move(note.payload));
  note.meta = parts_.clean(std::move(note.meta));
  note.run_id.clear();  // it belongs to no run: the model is not asked to answer it
  entries.push_back(std::move(note));
  turn.commit_prompt(std::move(entries));
}

model::Message Agent::ask_aside(Conversation& conversation, const std::string& question,
                                Settings& settings, const model::Ports& ports) {
  Turn turn{conversation, settings, ports};
  if (std::string refusal = hooks_.before_aside(turn, question); !refusal.empty())
    return {.role = model::Role::assistant,
            .stop = model::Stop::error,
            .error = parts_.clean(std::move(refusal))};
  model::Message reply = models_.ask_aside(turn, question);
  const std::string answer = model::plain_text(reply);
  if (answer.empty() && !reply.usage) return reply;
  model::Entry entry = model::aside_entry({.question = question,
                                           .answer = answer,
                                           .provider = settings.model.provider,
                                           .model = settings.model.model,
                                           .usage = reply.usage,
                                           .duration_ms = reply.duration_ms});
  entry.payload = parts_.clean(std::move(entry.payload));
  turn.commit({std::move(entry)});
  return reply;
}

TurnEnd Agent::go_on(Conversation& conversation, Settings& settings, const model::Ports& ports) {
  Turn turn{conversation, settings, ports};
  if (!has_message(conversation.path())) {
    turn.end.stop = model::Stop::error;
    turn.end.error = "nothing has been said yet";
    return turn.end;
  }
  parts_.before_turn(ports);
  hooks_.begin(turn);
  const ModelPutBack put_back(turn);
  plan_mode_.choose_model(turn);
  std::vector<model::Entry> entries = closed_calls(turn);
  const bool closed = !entries.empty();
  for (model::Entry& entry : changed_surroundings(turn)) entries.push_back(std::move(entry));
  for (model::Entry& entry : arrived(turn)) entries.push_back(std::move(entry));
  const std::optional<model::Message> last = last_answer(conversation.path());
  if (last && !closed) {
    model::Message request = model::user_message(is_whole(*last) ? go_on_text : cut_text);
    request.continuation = true;
    entries.push_back(entry_for(request, turn.run_id));
  }
  if (!entries.empty()) turn.commit(std::move(entries));
  turn.prompt = last_prompt(conversation);
  return loop(turn);
}

// Results for calls that are left open where the conversation is taken up again, in the words that
// stand for them in a request. They are written before anything else is said: a result that came
// later would change what has been sent.
std::vector<model::Entry> Agent::closed_calls(const Turn& turn) const {
  std::vector<model::Entry> entries;
  for (const model::ToolUse& call : store::unanswered_calls(turn.conversation.path()))
    entries.push_back(result_entry(
        call, model::tool_failure(std::string(handover::interrupted_text)), turn.run_id));
  return entries;
}

std::vector<model::Entry> Agent::changed_surroundings(const Turn& turn) {
  if (turn.conversation.state().system.empty()) parts_.look_around(turn.settings);
  models_.read_for_request(turn.conversation, turn.settings);
  std::vector<model::Entry> entries = surroundings_.before_turn(turn);
  for (model::Entry& entry : changes_to(turn.conversation.state(), turn.settings.model))
    entries.push_back(std::move(entry));
  for (model::Entry& entry : entries) entry.run_id = turn.run_id;
  return entries;
}

std::vector<model::Entry> Agent::arrived(const Turn& turn) const {
  if (parts_.inbox == nullptr) return {};
  std::vector<model::Entry> entries = parts_.inbox->take(turn.conversation.session());
  for (model::Entry& entry : entries) {
    entry.payload = parts_.clean(std::move(entry.payload));
    entry.meta = parts_.clean(std::move(entry.meta));
    entry.run_id = turn.run_id;
  }
  return entries;
}

// A prompt that comes in the middle is heard by hooks like any other, and the files are kept as
// they are now: one can go back to before it. After a stop nothing is taken, so that it can be
// taken back.
void Agent::take_in_arrived(Turn& turn) {
  if (turn.ports.stopped()) return;
  std::vector<model::Entry> entries;
  std::optional<Id> prompt;
  for (model::Entry& entry : arrived(turn)) {
    if (model::is_prompt(entry)) {
      HookPoints::Prompted prompted = hooks_.before_prompt(turn, *model::message_of(entry));
      if (prompted.refusal) {
        turn.tell(model::Notice::Level::warning, parts_.clean(*prompted.refusal));
        continue;
      }
      for (model::Entry& told : prompted.entries) entries.push_back(std::move(told));
      prompt = entry.id;
    }
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) return;
  if (prompt) files_.after_turn(turn);
  turn.commit(std::move(entries));
  if (prompt) turn.prompt = prompt;
}

store::SessionLease Agent::hold(Id session) {
  const store::Result<store::SessionLease> outcome =
      parts_.store.hold(session, store::LockMode::shared);
  return outcome ? *outcome : nullptr;
}

Compacted Agent::compact(Conversation& conversation, const std::string& focus,
                         const Settings& settings, const model::Ports& ports) {
  Settings own = settings;
  Turn turn{conversation, own, ports};
  if (std::string refusal = hooks_.before_compaction(turn, true, focus); !refusal.empty())
    return {.why_not = std::move(refusal)};
  Compacted out = models_.compact(conversation, focus, settings, ports);
  if (out.done) hooks_.after_compaction(turn, true, out.summary);
  return out;
}

TurnEnd Agent::loop(Turn& turn) {
  try {
    ask_and_run(turn);
  } catch (const Error&) {
    take_back_lent(turn);
    throw;
  }
  take_back_lent(turn);
  files_.after_turn(turn);
  Fallback::end(turn);
  PlanMode::end(turn);
  hooks_.turn_done(turn);
  return turn.end;
}

void Agent::ask_and_run(Turn& turn) {
  // Keeps other processes from taking our open calls for leftovers of a crash. Not having it does
  // not stop the work.
  store::SessionLease at_work;
  while (turn.end.calls < turn.settings.max_calls) {
    if (!at_work) at_work = hold(turn.conversation.session());
    ++turn.end.calls;
    plan_mode_.choose_model(turn);
    const model::Message reply = models_.ask(turn);
    model::Entry entry = entry_for(reply, turn.run_id);
    entry.id = std::exchange(turn.answer, random_id());
    turn.commit({std::move(entry)});
    turn.end.text = parts_.clean(model::plain_text(reply));
    turn.end.stop = reply.stop;
    turn.end.error = parts_.clean(reply.error);
    turn.end.empty = model::is_empty_answer(reply);
    if (run_calls(turn, reply)) {
      take_in_arrived(turn);
      if (turn.ended_by_hook) return turn.end_by_hook();
      continue;
    }
    if (turn.ended_by_hook) return turn.end_by_hook();
    if (turn.decided || turn.end.stop != model::Stop::stop) return;
    std::optional<model::Entry> more = hooks_.at_stop(turn);
    if (!more) return;
    turn.commit({*std::move(more)});
  }
  turn.end.stop = model::Stop::error;
  turn.end.out_of_calls = true;
  turn.end.error = "stopped after " + std::to_string(turn.end.calls) +
                   " model calls for one prompt (--max-turns raises the limit)";
}

}  // namespace skein::agent
