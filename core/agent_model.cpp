// The agent's half that asks the model: what a request is built from, how it is kept inside the
// window, and the call that sums up what is long ago.
#include <algorithm>
#include <utility>

#include "core/agent_turn.h"
#include "core/compaction.h"
#include "core/request_text.h"

namespace skein {

namespace {

constexpr std::int64_t kept_tokens = 20'000;

// A summary is not part of the answer, so its pieces are not shown.
Ports without_words(const Ports& ports) {
  Ports out = ports;
  out.sink = [&ports](const Event& event) {
    if (!std::holds_alternative<Streaming>(event)) ports.sink(event);
  };
  return out;
}

void notice(const Ports& ports, Notice::Level level, std::string text) {
  ports.sink(Notice{level, std::move(text)});
}

// What is kept beside the transcript, for the one request. An image that is gone stays without its
// bytes, and the codecs say so in its place.
template <class Blocks>
void load_images(Blocks& blocks, StorageBackend& backend) {
  for (auto& block : blocks) {
    if (auto* image = std::get_if<Image>(&block); image && !image->blob.empty()) {
      Outcome<std::string> bytes = backend.load_blob(image->blob);
      if (auto* loaded = std::get_if<std::string>(&bytes)) image->bytes = std::move(*loaded);
    }
    if constexpr (std::is_same_v<Blocks, std::vector<Block>>)
      if (auto* result = std::get_if<ToolResult>(&block)) load_images(result->content, backend);
  }
}

std::string count_of(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

Window Agent::window_of(const ModelRef& model) const {
  const auto learned = learned_.find(to_string(model));
  return learned != learned_.end() ? learned->second : parts_.limits(model).window;
}

// How much may be sent before what is long ago is summed up; 0: no limit.
std::int64_t Agent::limit_of(const Settings& settings) const {
  const Window window = window_of(settings.model);
  const double part = settings.compact_at * static_cast<double>(window.tokens);
  return std::min(static_cast<std::int64_t>(part), room_in(window));
}

ContextSource Agent::source_of(const Conversation& conversation, const Settings& settings) const {
  const SessionState& state = conversation.state();
  ContextSource source{.path = conversation.path(),
                       .redacted = state.redacted,
                       .system = state.system.empty() ? settings.system : state.system,
                       .model = settings.model,
                       .window = window_of(settings.model)};
  for (const Tool& tool : parts_.tools) source.tools.push_back(tool.spec());
  return source;
}

BuiltContext Agent::context(Conversation& conversation, const Settings& settings) {
  // A token is about four bytes, and most of a payload is what is said in it.
  const std::int64_t tokens = enough_tokens(window_of(settings.model));
  conversation.read_at_least(static_cast<std::size_t>(tokens) * 5);
  const BuiltContext* built = &contexts_.get(source_of(conversation, settings));
  while (built->read_all && conversation.read_further())
    built = &contexts_.get(source_of(conversation, settings));
  return *built;
}

Message Agent::ask_model(Turn& turn) {
  ++turn.end.calls;
  const std::int64_t started = now_ms();
  make_room(turn);
  BuiltContext built = context(turn.conversation, turn.settings);
  bool overflow = false;
  Message reply = send(turn, built, overflow);
  // The call that was refused left nothing worth keeping, so it may be made again.
  if (overflow && make_room_after(turn, built.filling.total())) {
    built = context(turn.conversation, turn.settings);
    reply = send(turn, built, overflow);
  }
  reply.duration_ms = std::max<std::int64_t>(1, now_ms() - started);
  if (reply.usage) turn.end.usage += *reply.usage;
  commit(turn, {entry_for(reply, turn.run_id)});
  return reply;
}

Message Agent::send(Turn& turn, const BuiltContext& built, bool& overflow) {
  tell_of_gaps(turn, built);
  Context context = built.context;
  for (Message& message : context.messages) load_images(message.content, parts_.store.backend());
  bool refused = false;
  Ports listening = turn.ports;
  listening.sink = [&](const Event& event) {
    const auto* streaming = std::get_if<Streaming>(&event);
    const auto* failed = streaming ? std::get_if<delta::Failed>(&streaming->delta) : nullptr;
    refused = refused || (failed != nullptr && failed->overflow);
    turn.ports.sink(event);
  };
  const ModelRef& model = turn.settings.model;
  Message reply = parts_.provider(model).stream(context, model, listening);
  overflow = refused && reply.stop == Stop::error && reply.content.empty();
  return reply;
}

void Agent::make_room(Turn& turn) {
  const std::int64_t limit = limit_of(turn.settings);
  const std::int64_t size = context(turn.conversation, turn.settings).whole;
  if (limit > 0 && size > limit) compact_unasked(turn, size, limit);
}

// Either our guess was too low or the window was not known: it is smaller than what was refused.
// True if there is less to send now.
bool Agent::make_room_after(Turn& turn, std::int64_t refused) {
  const Settings& settings = turn.settings;
  learned_[to_string(settings.model)] = {refused / 4 * 3, 0};
  notice(turn.ports, Notice::Level::info,
         "the model refused about " + std::to_string(refused) + " tokens as too many");
  const std::int64_t size = context(turn.conversation, settings).whole;
  if (settings.compact_at > 0) compact_unasked(turn, size, limit_of(settings));
  return context(turn.conversation, settings).filling.total() < refused;
}

// After one that came to nothing it is not tried again before the session has grown by an eighth of
// the window: else every call would pay for another.
void Agent::compact_unasked(Turn& turn, std::int64_t size, std::int64_t limit) {
  const Id session = turn.conversation.session();
  const auto tried = came_to_nothing_.find(session);
  if (tried != came_to_nothing_.end() &&
      size <= tried->second + window_of(turn.settings.model).tokens / 8)
    return;
  notice(turn.ports, Notice::Level::info,
         "the conversation fills the model's window; summing up what is long ago");
  const Compacted compacted = compact(turn.conversation, "", turn.settings, turn.ports);
  turn.end.usage += compacted.usage;
  if (!compacted.done && turn.ports.stopped()) return;
  if (!compacted.done)
    notice(turn.ports, Notice::Level::warning, "no summary was made: " + compacted.why_not);
  if (!compacted.done || compacted.after > limit)
    came_to_nothing_[session] = compacted.done ? compacted.after : size;
}

// Said when it changes, and that is in steps: not with every call.
void Agent::tell_of_gaps(const Turn& turn, const BuiltContext& built) {
  const Gaps gaps{built.left_out > 0 ? built.begins_with : std::nullopt, built.pruned};
  if (std::exchange(told_gaps_[turn.conversation.session()], gaps) == gaps) return;
  std::string what;
  if (built.left_out > 0) what = count_of(built.left_out, "older message");
  if (built.pruned > 0)
    what += (what.empty() ? "" : " and ") + count_of(built.pruned, "long tool result");
  if (!what.empty())
    notice(turn.ports, Notice::Level::warning,
           "to fit its window, the model does not see " + what + "; the session keeps everything");
}

Compacted Agent::compact(Conversation& conversation, const std::string& focus,
                         const Settings& settings, const Ports& ports) {
  const BuiltContext longer = context(conversation, settings);
  Compacted out{.before = longer.whole};
  const auto refused = [&out](std::string why) {
    out.why_not = std::move(why);
    return out;
  };
  const std::optional<CompactionPlan> plan =
      plan_compaction(conversation.path(), conversation.state().redacted, kept_tokens);
  if (!plan) return refused("there is too little to sum up yet");

  std::string summary;
  SummaryAuthor author{.model = settings.model, .tokens_per_guess = longer.tokens_per_guess};
  if (parts_.limits(settings.model).summarize_by_rule) {
    summary = extracted_summary(*plan);
  } else {
    ModelRef model = settings.model;
    model.thinking = ThinkingLevel::off;
    // Half the room: a summary is often asked for because our guess of the size was too low.
    const Context request = summary_request(*plan, focus, room_in(window_of(settings.model)) / 2);
    const Message reply = parts_.provider(model).stream(request, model, without_words(ports));
    if (reply.usage) out.usage = *reply.usage;
    author.usage = reply.usage;
    if (reply.stop == Stop::aborted || ports.stopped()) return refused("stopped");
    if (reply.stop != Stop::stop)
      return refused(reply.error.empty() ? "the summary was cut short" : reply.error);
    summary = plain_text(reply);
  }
  if (is_blank(summary)) return refused("the summary came back empty");

  Entry entry = compaction_entry(*plan, summary, author);
  entry.payload = parts_.clean(std::move(entry.payload));
  std::vector<Entry> shorter = conversation.path();
  shorter.push_back(entry);
  ContextSource source = source_of(conversation, settings);
  source.path = shorter;
  out.after = build_context(source).whole;
  if (out.after >= out.before)
    return refused("the summary is not shorter than what it would stand for");

  const Outcome<AppendResult> outcome = conversation.append({std::move(entry)});
  if (const auto* failed = std::get_if<Failure>(&outcome)) return refused(failed->text);
  for (const Entry& saved : std::get<AppendResult>(outcome).entries) ports.sink(Committed{saved});
  out.done = true;
  came_to_nothing_.erase(conversation.session());
  return out;
}

}  // namespace skein
