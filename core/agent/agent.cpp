#include "core/agent/agent.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/handover/normalize.h"
#include "core/model/payloads.h"
#include "core/model/turns.h"
#include "core/text/wait.h"

namespace skein::agent {

namespace {

// An answer with more calls than this is a mistake.
constexpr std::size_t most_calls = 128;

model::Message result_of(const model::ToolUse& call, const model::ToolOutcome& outcome) {
  model::Message result{.role = model::Role::tool};
  result.content = {model::ToolResult{call.id, outcome.content, outcome.is_error, outcome.blob}};
  result.duration_ms = outcome.duration_ms;
  return result;
}

constexpr const char* go_on_text = "Go on.";
constexpr const char* cut_text =
    "Your last answer was cut off. Go on exactly where it stopped, and repeat nothing of it.";

// The last message of the path if it is an answer. One that failed before it said anything does not
// count.
std::optional<model::Message> last_answer(const std::vector<model::Entry>& path) {
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry) {
    std::optional<model::Message> message = entry->type == model::type::message
                                                ? model::message_from_json(entry->payload)
                                                : std::nullopt;
    if (!message || (message->role == model::Role::assistant && message->content.empty())) continue;
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

bool is_whole(const model::Message& answer) {
  return answer.stop == model::Stop::stop || answer.stop == model::Stop::refusal;
}

constexpr const char* limit_text =
    "not run: the answer reached the output limit in or after this call. Make it again, shorter or "
    "in several pieces.";

// How often in a row the model may make calls that cannot be read.
constexpr int most_faulty_replies = 3;

// A running tool asks now and then whether to stop, and that is when the keyboard is read. Not
// every time: a busy tool asks at every line.
class KeyboardLook {
 public:
  explicit KeyboardLook(const model::Ports& ports) : ports_(ports) {}

  void operator()() {
    if (ports_.input.fd < 0 || Clock::now() < next_) return;
    next_ = Clock::now() + std::chrono::milliseconds(5);
    if (is_readable(ports_.input.fd) && ports_.input.on_ready) ports_.input.on_ready();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const model::Ports& ports_;
  Clock::time_point next_{};
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
  std::vector<model::Entry> entries = closed_calls(turn);
  for (model::Entry& entry : changed_surroundings(turn)) entries.push_back(std::move(entry));
  for (model::Entry& entry : prompted.entries) entries.push_back(std::move(entry));
  entries.push_back(entry_for(prompt.message, turn.run_id));
  entries.back().meta = parts_.clean(prompt.meta);
  turn.prompt = entries.back().id;
  turn.commit_prompt(std::move(entries));
  lend(turn, prompt.lends);
  return loop(turn);
}

void Agent::note(Conversation& conversation, const std::string& text, Settings& settings,
                 const model::Ports& ports) {
  Turn turn{conversation, settings, ports};
  std::vector<model::Entry> entries = closed_calls(turn);
  // It belongs to no run: the model is not asked to answer it.
  entries.push_back(entry_for(model::user_message(text), ""));
  turn.commit_prompt(std::move(entries));
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
  std::vector<model::Entry> entries = closed_calls(turn);
  const bool closed = !entries.empty();
  for (model::Entry& entry : changed_surroundings(turn)) entries.push_back(std::move(entry));
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
    entries.push_back(
        entry_for(result_of(call, model::tool_failure(std::string(handover::interrupted_text))),
                  turn.run_id));
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
    const model::Message reply = models_.ask(turn);
    model::Entry entry = entry_for(reply, turn.run_id);
    entry.id = std::exchange(turn.answer, random_id());
    turn.commit({std::move(entry)});
    turn.end.text = parts_.clean(model::plain_text(reply));
    turn.end.stop = reply.stop;
    turn.end.error = parts_.clean(reply.error);
    turn.end.empty = model::is_empty_answer(reply);
    if (run_calls(turn, reply)) continue;
    if (turn.ended_by_hook) return turn.end_by_hook();
    if (turn.end.stop != model::Stop::stop) return;
    std::optional<model::Entry> more = hooks_.at_stop(turn);
    if (!more) return;
    turn.commit({*std::move(more)});
  }
  turn.end.stop = model::Stop::error;
  turn.end.out_of_calls = true;
  turn.end.error = "stopped after " + std::to_string(turn.end.calls) +
                   " model calls for one prompt (--max-turns raises the limit)";
}

// Whether the model, having been told what is wrong with its calls, gets another try.
bool Agent::may_try_again(Turn& turn, const model::Message& reply) {
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
  turn.end.error = "the model made a call that cannot be read " +
                   std::to_string(turn.faulty_replies) +
                   " times in a row; the last one: " + (*faulty)->fault;
  return false;
}

// Every call is answered, whatever happens: a transcript with an open call is refused by every
// provider. True if the model should be asked again.
bool Agent::run_calls(Turn& turn, const model::Message& reply) {
  const std::vector<const model::ToolUse*> calls = model::tool_uses(reply);
  const bool finished = reply.stop == model::Stop::tool_use;  // cut or failed answers order nothing
  for (std::size_t i = 0; i < std::min(calls.size(), most_calls); ++i) {
    const model::ToolUse* call = calls[i];
    const bool stopped = turn.ports.stopped();
    if (stopped && turn.end.stop != model::Stop::aborted) turn.end.stop = model::Stop::aborted;
    answer(turn, *call,
           stopped ? model::tool_failure("cancelled by the user")
           : turn.ended_by_hook
               ? model::tool_failure("not run: a hook of the user's ended the turn")
           : reply.stop == model::Stop::length ? model::tool_failure(limit_text)
           : !finished ? model::tool_failure("not run: the answer that asked for it was cut short")
           : !call->fault.empty() ? model::tool_failure("not run: " + call->fault)
                                  : run_call(turn, *call));
  }
  if (calls.size() > most_calls) refuse_calls(turn, std::span(calls).subspan(most_calls));
  if (turn.ports.stopped() && !calls.empty()) turn.end.stop = model::Stop::aborted;
  return !calls.empty() && !turn.ports.stopped() && !turn.ended_by_hook &&
         may_try_again(turn, reply);
}

// A model that has lost its way may make thousands of calls; many results share a batch and a sync.
void Agent::refuse_calls(Turn& turn, std::span<const model::ToolUse* const> calls) {
  constexpr std::size_t batch = 1000;
  turn.tell(model::Notice::Level::warning,
            "the model made " + std::to_string(most_calls + calls.size()) +
                " calls in one answer; only the first " + std::to_string(most_calls) + " count");
  const model::ToolOutcome refused =
      model::tool_failure("not run: only the first " + std::to_string(most_calls) +
                          " calls of an answer are run; make the others again if they are needed");
  std::vector<model::Entry> entries;
  for (const model::ToolUse* call : calls) {
    entries.push_back(entry_for(result_of(*call, refused), turn.run_id));
    if (entries.size() == batch || call == calls.back()) turn.commit(std::exchange(entries, {}));
  }
}

void Agent::answer(Turn& turn, const model::ToolUse& call, const model::ToolOutcome& outcome) {
  model::Entry entry = entry_for(result_of(call, outcome), turn.run_id);
  entry.meta = parts_.clean(outcome.meta);
  turn.commit({std::move(entry)});
}

model::ToolOutcome Agent::run_call(Turn& turn, const model::ToolUse& call) {
  const model::Tool* tool = model::find_tool(parts_.tools, call.name);
  if (tool == nullptr && surroundings_.was_offered(turn.conversation, call.name))
    return model::tool_failure("the tool '" + call.name + "' is no longer available");
  if (tool == nullptr) {
    std::string known;
    for (const model::Tool& each : parts_.tools) known += (known.empty() ? "" : ", ") + each.name;
    return model::tool_failure("there is no tool '" + call.name + "'; there are: " + known);
  }
  turn.ports.sink(model::ToolStarted{call, tool->title(call.input)});
  model::ToolUse agreed = call;
  const PermissionGate::Permission permission = gate_.judge(turn, *tool, agreed);
  const std::int64_t started = now_ms();  // the user's time to decide does not count
  model::ToolOutcome outcome =
      permission.given
          ? execute(*tool, agreed, {turn.ports, turn.settings.rules, permission.place, &turn})
          : model::tool_failure(permission.note);
  outcome.duration_ms = now_ms() - started;
  if (permission.given) hooks_.after_call(turn, agreed, outcome);
  if (permission.given) nearby_.attach(turn, *tool, permission.place, outcome);
  if (permission.given && !permission.note.empty())
    outcome.content.insert(outcome.content.begin(), model::Text{permission.note});
  turn.ports.sink(model::ToolEnded{call.id, outcome.is_error, outcome.duration_ms});
  if (!outcome.notice.empty()) turn.tell(model::Notice::Level::warning, outcome.notice);
  lend(turn, outcome.lends);
  return outcome;
}

model::ToolOutcome Agent::execute(const model::Tool& tool, const model::ToolUse& call,
                                  const Execution& how) {
  const model::Ports& ports = how.ports;
  Turn* const turn = how.turn;
  KeyboardLook look(ports);
  const model::ToolPorts tool_ports{
      .output =
          [&](std::string_view text) {
            ports.sink(model::ToolOutput{call.id, std::string(text)});
          },
      .stopped =
          [&] {
            look();
            return ports.stopped();
          },
      .session = turn != nullptr ? std::optional(turn->conversation.session()) : std::nullopt,
      .wake_fd = ports.input.fd,
      .keep_blob = parts_.keep_blob,
      .judged = how.judged,
      .before_write = turn != nullptr ? files_.before_write(*turn, tool) : nullptr,
      .was_said =
          [turn](std::string_view text) {
            return turn != nullptr && was_said(turn->conversation, text);
          },
      .denied = permission::denied_places(how.rules, parts_.tools, call)};
  try {
    if (turn != nullptr)
      if (const std::string refusal = files_.before_call(*turn, tool); !refusal.empty())
        return model::tool_failure(refusal);
    return tool.run(call.input, tool_ports);
  } catch (const std::exception& error) {
    return model::tool_failure(error.what());  // the end of a call, not of the turn
  }
}

}  // namespace skein::agent
