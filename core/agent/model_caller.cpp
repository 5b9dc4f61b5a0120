#include "core/agent/model_caller.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/agent/delta_keeper.h"
#include "core/agent/dropped_thoughts.h"
#include "core/agent/first_token.h"
#include "core/context/compaction.h"
#include "core/model/payloads.h"
#include "core/text/amounts.h"
#include "core/text/log.h"
#include "core/text/request_text.h"

namespace skein::agent {

namespace {

constexpr std::int64_t kept_tokens = 20'000;
constexpr int most_tries = 4;  // of a request that is refused as too long, each shorter
constexpr std::int64_t least_window = 1'500;

// A summary is not part of the answer, so its pieces are not shown.
model::Ports without_words(const model::Ports& ports) {
  model::Ports out = ports;
  out.sink = [&ports](const model::Event& event) {
    if (!std::holds_alternative<model::Streaming>(event)) ports.sink(event);
  };
  return out;
}

// Images are kept beside the transcript and loaded for one request. One that is gone stays without
// bytes; the codecs then send a text that says so.
template <class Blocks>
void load_images(Blocks& blocks, store::SessionStore& store) {
  for (auto& block : blocks) {
    if (auto* image = std::get_if<model::Image>(&block); image && !image->blob.empty()) {
      store::Result<std::string> bytes = store.load_blob(image->blob);
      if (bytes) image->bytes = *std::move(bytes);
    }
    if constexpr (std::is_same_v<Blocks, std::vector<model::Block>>)
      if (auto* result = std::get_if<model::ToolResult>(&block))
        load_images(result->content, store);
  }
}

// What a refusal teaches about a model: its window, if the server reported it, else three quarters
// of what was sent; and a lower bound for the factor by which our guess is too low. With both, the
// next request is at most three quarters of the refused one.
ModelLimits limits_after(ModelLimits known, const context::BuiltContext& refused,
                         const model::delta::Overflow& told) {
  const auto guessed = static_cast<double>(std::max<std::int64_t>(refused.guessed, 1));
  if (told.window > 0)
    known.window.tokens = told.window;
  else
    known.window = {static_cast<std::int64_t>(guessed * refused.tokens_per_guess * 0.75), 0};
  const auto room = static_cast<double>(context::room_in(known.window));
  known.tokens_per_guess = std::max({refused.tokens_per_guess, room / (guessed * 0.75),
                                     static_cast<double>(told.sent) / guessed});
  return known;
}

// In a small window there is less room for the answer than the model could fill.
model::ModelRef with_room_for_answer(model::ModelRef model, const context::BuiltContext& built) {
  if (const std::int64_t left = built.window.tokens - built.room;
      left > 0 && left < built.window.output && model.max_output == 0)
    model.max_output = left;
  return model;
}

constexpr const char* aside_text =
    "A question beside our work, which will not be part of the conversation. Answer it from what "
    "you know by now, in words alone: no tool can be used for this answer.\n\n";

std::string count_of(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

ModelLimits ModelCaller::limits_of(const model::ModelRef& model) const {
  const auto learned = learned_.find(model::to_string(model));
  return learned != learned_.end() ? learned->second : parts_.limits(model);
}

// How much may be sent before older messages are summarized; 0: no limit.
std::int64_t ModelCaller::limit_of(const Settings& settings) const {
  const context::Window window = limits_of(settings.model).window;
  const double part = settings.compact_at * static_cast<double>(window.tokens);
  return std::min(static_cast<std::int64_t>(part), context::room_in(window));
}

context::ContextSource ModelCaller::source_of(const Conversation& conversation,
                                              std::span<const model::Entry> path,
                                              const Settings& settings) {
  const model::payload::RuntimeInit& begins = surroundings_.beginning(conversation, path, settings);
  const ModelLimits limits = limits_of(settings.model);
  return {.path = path,
          .redacted = conversation.state().redacted,
          .system = begins.system,
          .tools = *begins.specs,
          .model = settings.model,
          .window = limits.window,
          .tokens_per_guess = limits.tokens_per_guess,
          .thinking_off = conversation.state().thinking_off};
}

void ModelCaller::read_for_request(Conversation& conversation, const Settings& settings) const {
  // A token is about four bytes, and most of a payload is text.
  const std::int64_t tokens = context::enough_tokens(limits_of(settings.model).window);
  conversation.read_at_least(static_cast<std::size_t>(tokens) * 5);
}

const context::BuiltContext& ModelCaller::context(Conversation& conversation,
                                                  const Settings& settings) {
  read_for_request(conversation, settings);
  const auto build = [&]() -> const context::BuiltContext& {
    return contexts_.get(source_of(conversation, conversation.path(), settings));
  };
  const context::BuiltContext* built = &build();
  while (built->unread == 0 && conversation.read_further()) built = &build();
  return *built;
}

model::Message ModelCaller::ask(Turn& turn) {
  const std::int64_t started = now_ms();
  fallback_.begin(turn);
  Attempt attempt = ask_one(turn);
  const auto failed = [&] {
    return attempt.reply.stop == model::Stop::error && attempt.reply.content.empty() &&
           !attempt.overflow && !turn.ports.stopped();
  };
  // What fails in place of another model, for whatever reason, leaves the next one to be asked.
  while (failed() && (attempt.elsewhere || !turn.failed_models.empty()) &&
         fallback_.next(turn, attempt.reply.error))
    attempt = ask_one(turn);
  model::Message& reply = attempt.reply;
  reply.duration_ms = std::max<std::int64_t>(1, now_ms() - started);
  if (reply.usage) turn.end.usage += *reply.usage;
  return std::move(reply);
}

model::Message ModelCaller::ask_aside(Turn& turn, const std::string& question) {
  context::BuiltContext built = request(turn);
  if (!built.fits())
    return {.role = model::Role::assistant,
            .stop = model::Stop::error,
            .error = "the conversation is too long for the model; /compact summarizes it"};
  built.context.messages.push_back(model::user_message(aside_text + question));
  const std::int64_t started = now_ms();
  FirstToken first;
  model::Ports listening = turn.ports;
  listening.sink = [&](const model::Event& event) {
    first.see(event);
    turn.ports.sink(event);
  };
  const model::ModelRef model = with_room_for_answer(turn.settings.model, built);
  model::Message reply = parts_.provider(model).stream(built.context, model, listening);
  std::erase_if(reply.content, [](const model::Block& block) {
    return std::holds_alternative<model::ToolUse>(block);
  });
  if (reply.stop == model::Stop::tool_use) reply.stop = model::Stop::stop;
  reply.duration_ms = std::max<std::int64_t>(1, now_ms() - started);
  reply.first_token_ms = first.after_ms();
  return reply;
}

ModelCaller::Attempt ModelCaller::ask_one(Turn& turn) {
  make_room(turn);
  context::BuiltContext built = request(turn);
  Attempt attempt = send(turn, built);
  // A refused call left nothing worth keeping, so it may be repeated.
  if (attempt.seals) attempt = send_unsealed(turn, built);
  for (int tries = 1; attempt.overflow && tries < most_tries; ++tries) {
    if (!make_room_after(turn, built, *attempt.overflow)) break;
    built = request(turn);
    attempt = send(turn, built);
  }
  notice_cut(turn, built, attempt.reply);
  tell_of_dropped(turn, attempt.reply);
  return attempt;
}

context::BuiltContext ModelCaller::request(const Turn& turn) {
  context::BuiltContext built = context(turn.conversation, turn.settings);
  built.context.session = to_string(turn.conversation.session());
  for (model::Message& message : built.context.messages) load_images(message.content, parts_.store);
  return built;
}

ModelCaller::Attempt ModelCaller::send(Turn& turn, const context::BuiltContext& built) {
  Attempt attempt;
  FirstToken first;
  DeltaKeeper keeper(turn, parts_);
  model::Ports listening = turn.ports;
  listening.sink = [&](const model::Event& event) {
    first.see(event);
    keeper.see(event);
    const auto* streaming = std::get_if<model::Streaming>(&event);
    const auto* failed = streaming ? std::get_if<model::delta::Failed>(&streaming->delta) : nullptr;
    if (failed != nullptr && failed->overflow) attempt.overflow = failed->told;
    if (failed != nullptr) attempt.seals = failed->seals;
    if (failed != nullptr) attempt.elsewhere = failed->elsewhere;
    turn.ports.sink(event);
  };
  listening.input = keeper.watch(turn.ports.input);
  const model::ModelRef model = with_room_for_answer(turn.settings.model, built);
  attempt.reply = parts_.provider(model).stream(built.context, model, listening);
  attempt.reply.first_token_ms = first.after_ms();
  if (attempt.reply.stop != model::Stop::error || !attempt.reply.content.empty())
    attempt = {.reply = std::move(attempt.reply)};
  return attempt;
}

// Some local servers drop the beginning of what is too long and do not say so. It shows in the
// number of tokens they report: far fewer than were sent. The answer is kept; what was learned
// makes room before the next call.
void ModelCaller::notice_cut(Turn& turn, const context::BuiltContext& built,
                             const model::Message& reply) {
  if (!reply.usage || !limits_of(turn.settings.model).cuts_silently) return;
  const std::int64_t read = reply.usage->input + reply.usage->cache_read + reply.usage->cache_write;
  const auto sent =
      static_cast<std::int64_t>(static_cast<double>(built.guessed) * built.tokens_per_guess);
  // Our guess is never wrong by so much. Servers that count only what was not cached report less
  // than any window holds.
  if (read < least_window || read * 5 > sent * 3) return;
  ModelLimits learned = limits_of(turn.settings.model);
  learned.window.tokens = (read + 1023) / 1024 * 1024;
  learned.tokens_per_guess = built.tokens_per_guess;
  learned_[model::to_string(turn.settings.model)] = learned;
  parts_.learn(turn.settings.model, learned);
  log_warning("silent overflow",
              {{"model", model::to_string(turn.settings.model)}, {"sent", sent}, {"read", read}});
  turn.tell(model::Notice::Level::warning,
            "the model's server read only " + short_count(read) + " of about " + short_count(sent) +
                " tokens; older messages will be summarized. Give the server a larger context to "
                "keep more");
}

// The same request would be refused for ever. If it is taken without what was signed, that is left
// out from now on, after a restart too.
ModelCaller::Attempt ModelCaller::send_unsealed(Turn& turn, const context::BuiltContext& built) {
  log_warning("thinking refused", {{"model", model::to_string(turn.settings.model)}});
  turn.tell(model::Notice::Level::warning,
            "the model does not take back its earlier thinking; asking again without it");
  context::BuiltContext unsealed = built;
  for (model::Message& message : unsealed.context.messages) message.seals = model::Seals::refused;
  Attempt attempt = send(turn, unsealed);
  const std::vector<model::Entry>& path = turn.conversation.path();
  const auto last =
      std::ranges::find(path.rbegin(), path.rend(), model::type::message, &model::Entry::type);
  if (!attempt.reply.content.empty() && last != path.rend())
    turn.commit({model::make_entry(model::payload::ThinkingOffBefore{last->id})});
  attempt.seals = false;
  return attempt;
}

void ModelCaller::tell_of_dropped(const Turn& turn, const model::Message& reply) {
  if (reply.content.empty()) return;
  const auto known = dropped_.try_emplace(turn.conversation.session());
  std::vector<model::Transformation>& before = known.first->second;
  if (known.second && !reply.transformed.empty())
    before = last_transformed(turn.conversation.path(), turn.settings.model);
  if (const std::string news = news_of_dropped(before, reply.transformed); !news.empty())
    turn.tell(model::Notice::Level::info, news);
  before = reply.transformed;
}

void ModelCaller::make_room(Turn& turn) {
  const std::int64_t limit = limit_of(turn.settings);
  // Redacted while the turn ran: what is sent changes, so the step is written down.
  if (surroundings_.is_stale(turn.conversation))
    turn.commit(surroundings_.renewed(turn.conversation, turn.settings, false));
  const std::int64_t size = context(turn.conversation, turn.settings).whole;
  if (limit > 0 && size > limit) compact_unasked(turn, size, limit);
  cut(turn);
}

// Either our guess was too low or the window was not known; in any case it is smaller than what was
// refused. True if there is less to send now. Guessed sizes are compared, since the factor that
// corrects them changes here.
bool ModelCaller::make_room_after(Turn& turn, const context::BuiltContext& refused,
                                  const model::delta::Overflow& told) {
  const Settings& settings = turn.settings;
  const ModelLimits learned = limits_after(limits_of(settings.model), refused, told);
  learned_[model::to_string(settings.model)] = learned;
  if (told.window > 0) parts_.learn(settings.model, learned);
  log_warning("overflow", {{"model", model::to_string(settings.model)},
                           {"guessed", refused.guessed},
                           {"window", told.window},
                           {"sent", told.sent}});
  turn.tell(model::Notice::Level::info,
            told.window > 0 ? "the model takes " + std::to_string(told.window) +
                                  " tokens, and the request was larger"
                            : "the model refused about " + std::to_string(refused.filling.total()) +
                                  " tokens as too many");
  const std::int64_t size = context(turn.conversation, settings).whole;
  if (settings.compact_at > 0) compact_unasked(turn, size, limit_of(settings));
  if (!turn.ports.stopped()) cut(turn);
  return !turn.ports.stopped() && context(turn.conversation, settings).guessed < refused.guessed;
}

// After a failure it is not tried again until the session has grown by an eighth of the window;
// otherwise every call would pay for another attempt.
void ModelCaller::compact_unasked(Turn& turn, std::int64_t size, std::int64_t limit) {
  const Id session = turn.conversation.session();
  const auto tried = failed_compactions_.find(session);
  if (tried != failed_compactions_.end() &&
      size <= tried->second + limits_of(turn.settings.model).window.tokens / 8)
    return;
  turn.tell(model::Notice::Level::info,
            "the conversation fills the model's window; summarizing older messages");
  const std::string refusal = hooks_.before_compaction(turn, false, "");
  const Compacted compacted = refusal.empty()
                                  ? compact(turn.conversation, "", turn.settings, turn.ports)
                                  : Compacted{.why_not = refusal};
  turn.end.usage += compacted.usage;
  if (compacted.done) hooks_.after_compaction(turn, false, compacted.summary);
  if (!compacted.done && turn.ports.stopped()) return;
  if (!compacted.done)
    turn.tell(model::Notice::Level::warning, "no summary was made: " + compacted.why_not);
  if (!compacted.done || compacted.after > limit)
    failed_compactions_[session] = compacted.done ? compacted.after : size;
}

// What does not fit although a summary was made, or because none could be: the oldest messages are
// left out, and if that is not enough, results become shorter. It is written down, so that the next
// request begins at the same place.
void ModelCaller::cut(Turn& turn) {
  const context::BuiltContext& built = context(turn.conversation, turn.settings);
  if (built.fits()) return;
  const std::int64_t room =
      built.for_messages > 0 ? built.for_messages : context::enough_tokens(built.window);
  const std::optional<context::CompactionPlan> plan = context::plan_cut(
      turn.conversation.path(), turn.conversation.state().redacted, room, parts_.tools);
  if (!plan) return;
  model::Entry entry = context::compaction_entry(*plan, plan->previous,
                                                 {.tokens_per_guess = built.tokens_per_guess});
  entry.payload = parts_.clean(std::move(entry.payload));
  std::vector<model::Entry> entries = surroundings_.renewed(turn.conversation, turn.settings, true);
  entries.insert(entries.begin(), std::move(entry));
  turn.commit(std::move(entries));
  failed_compactions_[turn.conversation.session()] =
      context(turn.conversation, turn.settings).whole;

  std::string what;
  if (const std::size_t messages = plan->earlier.size(); messages > 0)
    what = "no longer sees " + count_of(messages, "older message");
  if (plan->shortened > 0)
    what += (what.empty() ? "sees only the beginning of " : " and only the beginning of ") +
            count_of(plan->shortened, "long tool result");
  turn.tell(model::Notice::Level::warning,
            "to fit its window, the model " + what + "; the session keeps everything");
}

Compacted ModelCaller::compact(Conversation& conversation, const std::string& focus,
                               const Settings& settings, const model::Ports& ports) {
  const context::BuiltContext longer = context(conversation, settings);
  Compacted out{.before = longer.whole};
  const auto refused = [&out](std::string why) {
    out.why_not = std::move(why);
    log_debug("compaction", {{"before", out.before}, {"after", out.after}, {"done", false}});
    return out;
  };
  const std::optional<context::CompactionPlan> plan = context::plan_compaction(
      conversation.path(), conversation.state().redacted, kept_tokens, parts_.tools);
  if (!plan) return refused("there is too little to summarize yet");

  std::string summary;
  context::SummaryAuthor author{.model = settings.model,
                                .tokens_per_guess = longer.tokens_per_guess};
  if (parts_.limits(settings.model).summarize_by_rule) {
    summary = context::extracted_summary(*plan);
  } else {
    model::ModelRef model = settings.model;
    model.thinking = model::ThinkingLevel::off;
    // Half the room: a summary is often asked for because our guess of the size was too low.
    const auto half =
        static_cast<std::int64_t>(static_cast<double>(longer.room) / longer.tokens_per_guess / 2);
    const model::Context request = context::summary_request(
        *plan, focus, longer.room > 0 ? std::max<std::int64_t>(half, 1) : 0);
    const model::Message reply =
        parts_.provider(model).stream(request, model, without_words(ports));
    if (reply.usage) out.usage = *reply.usage;
    author.usage = reply.usage;
    if (reply.stop == model::Stop::aborted || ports.stopped()) return refused("stopped");
    if (reply.stop != model::Stop::stop)
      return refused(reply.error.empty() ? "the summary was cut short" : reply.error);
    summary = model::plain_text(reply);
  }
  if (is_blank(summary)) return refused("the summary came back empty");

  model::Entry entry = context::compaction_entry(*plan, summary, author);
  entry.payload = parts_.clean(std::move(entry.payload));
  std::vector<model::Entry> written = surroundings_.renewed(conversation, settings, true);
  written.insert(written.begin(), std::move(entry));
  std::vector<model::Entry> shorter = conversation.path();
  shorter.insert(shorter.end(), written.begin(), written.end());
  out.after = context::build_context(source_of(conversation, shorter, settings)).whole;
  if (out.after >= out.before)
    return refused("the summary is not shorter than what it would replace");

  const store::Result<store::AppendResult> outcome = conversation.append(std::move(written));
  if (!outcome) return refused(outcome.error().text);
  for (const model::Entry& saved : outcome->entries) ports.sink(model::Committed{saved});
  out.done = true;
  out.summary = std::move(summary);
  log_debug("compaction", {{"before", out.before}, {"after", out.after}, {"done", true}});
  failed_compactions_.erase(conversation.session());
  return out;
}

}  // namespace skein::agent
