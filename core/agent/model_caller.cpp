#include "core/agent/model_caller.h"

#include "core/agent/delta_writer.h"
#include "core/context/compaction.h"
#include "core/context/sent_request.h"
#include "core/text/log.h"
#include "core/text/request_text.h"
#include "core/text/text.h"

namespace skein::agent {

namespace {

constexpr std::int64_t rest_ms = 10 * 60 * 1000;

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> reasons{{
    {"prefix_binding_mismatch", "earlier messages have changed since"},
    {"model_binding_mismatch", "made by a model whose thinking this one cannot read"},
    {"organization_binding_mismatch", "made with another account"},
}};

std::string in_words(const std::string& reason) {
  for (const auto& [known, words] : reasons)
    if (reason == known) return std::string(words);
  return reason.empty() ? "the provider does not say why" : "the provider says " + reason;
}

std::int64_t count_in(const std::vector<model::Transformation>& all,
                      const model::Transformation& of) {
  for (const model::Transformation& each : all)
    if (each.type == of.type && each.reason == of.reason) return each.count;
  return 0;
}

bool says_something(const model::Delta& delta) {
  return std::holds_alternative<model::delta::TextPiece>(delta) ||
         std::holds_alternative<model::delta::ThinkingPiece>(delta) ||
         std::holds_alternative<model::delta::ToolStart>(delta);
}

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

template <class Blocks>
void load_blobs(Blocks& blocks, store::SessionStore& store) {
  for (auto& block : blocks) {
    if (auto* image = std::get_if<model::Image>(&block); image && !image->blob.empty()) {
      store::Result<std::string> bytes = store.blobs().load_blob(image->blob);
      if (bytes) image->bytes = *std::move(bytes);
    }
    if constexpr (std::is_same_v<Blocks, std::vector<model::Block>>)
      if (auto* result = std::get_if<model::ToolResult>(&block)) load_blobs(result->content, store);
  }
}

// The limits to assume after a refusal: the window that the server reported, else three quarters of
// what was sent; and a lower bound for the factor by which our guess is too low. With both, the
// next request is at most three quarters of the refused one.
ModelLimits limits_after(ModelLimits known, const context::BuiltContext& refused,
                         const model::delta::Overflow& reported) {
  const auto guessed = static_cast<double>(std::max<std::int64_t>(refused.guessed, 1));
  if (reported.window > 0)
    known.window.tokens = reported.window;
  else
    known.window = {static_cast<std::int64_t>(guessed * refused.tokens_per_guess * 0.75), 0};
  const auto room = static_cast<double>(context::room_in(known.window));
  known.tokens_per_guess = std::max({refused.tokens_per_guess, room / (guessed * 0.75),
                                     static_cast<double>(reported.sent) / guessed});
  return known;
}

// In a small window there is less room for the answer than the model could fill.
model::ModelRef with_room_for_answer(model::ModelRef model, const context::BuiltContext& built) {
  if (const std::int64_t left = built.window.tokens - built.room;
      left > 0 && left < built.window.output && model.max_output == 0)
    model.max_output = left;
  return model;
}

// What the longest answer is taken for where it is not known.
constexpr std::int64_t usual_longest_answer = 32'000;

std::int64_t tokens_sent(const context::BuiltContext& built) {
  return static_cast<std::int64_t>(static_cast<double>(built.guessed) * built.tokens_per_guess);
}

model::Message not_asked(const std::string& why) {
  return {.role = model::Role::assistant, .stop = model::Stop::error, .error = why};
}

constexpr const char* aside_text =
    "This is a side question: it and your answer will not be part of the conversation. Answer in "
    "text from what you know already; you cannot use tools for this answer.\n\n";

// What was reported with this model's last answer on a path.
std::vector<model::Transformation> last_transformed(std::span<const model::Entry> path,
                                                    const model::ModelRef& model) {
  for (const model::Entry& entry : path | std::views::reverse)
    if (const auto message = model::message_of(entry);
        message && message->role == model::Role::assistant && message->provider == model.provider &&
        message->model == model.model)
      return message->transformed;
  return {};
}

}  // namespace

void Fallback::begin(Turn& turn) {
  if (!turn.failed_models.empty()) return;
  const auto found = replacements_.find(model::to_string(turn.settings.model));
  if (found == replacements_.end()) return;
  if (now_ms() >= found->second.until) return (void)replacements_.erase(found);
  turn.failed_models.push_back(turn.settings.model);
  turn.tell(model::Notice::Level::info, model::to_string(found->second.model) +
                                            " answers, because " + found->first +
                                            " failed a few minutes ago");
  switch_to(turn, found->second.model);
}

bool Fallback::next(Turn& turn, const std::string& why) {
  turn.failed_models.push_back(turn.settings.model);
  const model::ModelRef chosen = turn.failed_models.front();
  for (model::ModelRef model : parts_.fallbacks(chosen)) {
    model.thinking = chosen.thinking;
    if (std::ranges::find(turn.failed_models, model) != turn.failed_models.end()) continue;
    if (!may_ask(turn, model, why)) return false;
    replacements_[model::to_string(chosen)] = {model, now_ms() + rest_ms};
    switch_to(turn, model);
    return true;
  }
  replacements_.erase(model::to_string(chosen));
  return false;
}

void Fallback::end(Turn& turn) {
  if (turn.failed_models.empty()) return;
  turn.settings.model = turn.failed_models.front();
  turn.commit(changes_to(turn.conversation.state(), turn.settings.model));
}

// Another provider will see the whole conversation, so the user is asked once in each session. With
// no user to ask, the configuration decides.
bool Fallback::may_ask(Turn& turn, const model::ModelRef& model, const std::string& why) {
  const std::string name = model::to_string(model);
  const bool stays = model.provider == turn.failed_models.front().provider;
  const std::pair agreement(turn.conversation.session(), model.provider);
  if (!stays && turn.ports.ask && !agreed_.contains(agreement)) {
    const model::Answer answer = turn.ports.ask(
        {.text = "use " + name + " instead?",
         .detail = why + "\nThis sends the conversation to " + model.provider + "."});
    if (answer.choice == model::Answer::Choice::no) return false;
    agreed_.insert(agreement);
    return true;
  }
  turn.tell(model::Notice::Level::warning,
            why + "; using " + name + " instead" +
                (stays ? "" : ", which sends this conversation to " + model.provider));
  return true;
}

void Fallback::switch_to(Turn& turn, const model::ModelRef& model) {
  log_warning("fallback",
              {{"from", model::to_string(turn.settings.model)}, {"to", model::to_string(model)}});
  model::Entry entry = model::make_entry(model::payload::ModelChange{
      model.provider, model.model, std::string(model::payload::ModelChange::fallback)});
  entry.run_id = turn.run_id;
  turn.settings.model = model;
  turn.commit({std::move(entry)});
}

std::string news_of_dropped(const std::vector<model::Transformation>& before,
                            const std::vector<model::Transformation>& now) {
  std::string out;
  for (const model::Transformation& each : now) {
    if (each.type != "thinking_dropped" || each.count <= count_in(before, each)) continue;
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(each.count, 0));
    out += (out.empty() ? "the provider left out " : ", and ") +
           counted(count, "earlier thought", "earlier thoughts") + ": " + in_words(each.reason);
  }
  return out;
}

void load_images(std::vector<model::Message>& messages, store::SessionStore& store) {
  for (model::Message& message : messages) load_blobs(message.content, store);
}

void FirstToken::see(const model::Event& event, Clock::time_point now) {
  if (const auto* retrying = std::get_if<model::Retrying>(&event)) {
    asked_ = now + retrying->wait;
    after_ms_ = 0;
  }
  const auto* streaming = std::get_if<model::Streaming>(&event);
  if (streaming == nullptr || after_ms_ > 0 || !says_something(streaming->delta)) return;
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(now - asked_);
  after_ms_ = std::max<std::int64_t>(1, passed.count());
}

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
  const model::payload::RuntimeInit& begins = context_.beginning(conversation, path, settings);
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
    return turn.over_budget.empty() && attempt.reply.stop == model::Stop::error &&
           attempt.reply.content.empty() && !attempt.failed.overflow && !turn.ports.stopped();
  };
  // If a replacement model fails, for whatever reason, the next one is asked.
  while (failed() && (attempt.failed.elsewhere || !turn.failed_models.empty()) &&
         fallback_.next(turn, attempt.reply.error))
    attempt = ask_one(turn);
  model::Message& reply = attempt.reply;
  reply.duration_ms = std::max<std::int64_t>(1, now_ms() - started);
  if (reply.usage) turn.end.usage += *reply.usage;
  if (parts_.budget != nullptr && parts_.sub_agent.empty() && turn.over_budget.empty())
    for (std::string& line : parts_.budget->warnings(turn.conversation.session()))
      turn.tell(model::Notice::Level::info, std::move(line));
  return std::move(reply);
}

model::Message ModelCaller::ask_aside(Turn& turn, const std::string& question) {
  context::BuiltContext built = request(turn);
  if (!built.fits())
    return not_asked("the conversation is too long for the model; /compact summarizes it");
  built.context.messages.push_back(model::user_message(aside_text + question));
  const std::int64_t started = now_ms();
  FirstToken first;
  model::Ports listening = turn.ports;
  listening.sink = [&](const model::Event& event) {
    first.see(event);
    turn.ports.sink(event);
  };
  const model::ModelRef model = with_room_for_answer(turn.settings.model, built);
  const std::int64_t input = tokens_sent(built) + model::tokens_of(built.context.messages.back());
  model::Message reply = call(turn.conversation.session(), built.context, model, input, listening);
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
  if (attempt.failed.seals) attempt = send_unsealed(turn, built);
  for (int tries = 1; attempt.failed.overflow && tries < most_tries; ++tries) {
    const bool shorter = make_room_after(turn, built, attempt.failed.told);
    turn.request.reset();  // entries may have come between it and its answer
    if (!shorter) break;
    built = request(turn);
    attempt = send(turn, built);
  }
  notice_cut(turn, built, attempt.reply);
  tell_of_dropped(turn, attempt.reply);
  return attempt;
}

context::BuiltContext ModelCaller::request(Turn& turn) {
  context::BuiltContext built = context(turn.conversation, turn.settings);
  built.context.session = to_string(turn.conversation.session());
  built.context.on_sent = [&turn](const model::SentRequest& sent) { turn.request = sent; };
  load_images(built.context.messages, parts_.store);
  return built;
}

// Reserves all of the input at the highest price of input, and the longest answer. What the call
// used replaces that. Without a count that is all of it, of an answer that was cut off the input
// and the words that came, and nothing if none came.
model::Message ModelCaller::call(Id session, const model::Context& context,
                                 const model::ModelRef& model, std::int64_t input,
                                 const model::Ports& ports) {
  model::Provider& provider = parts_.provider(model);
  if (parts_.budget == nullptr || !parts_.budget->limits().any())
    return provider.stream(context, model, ports);
  const std::string name = model::to_string(model);
  const std::int64_t sent = std::max<std::int64_t>(1, input);
  std::int64_t output = model.max_output;
  if (output == 0) output = limits_of(model).longest_answer;
  if (output == 0) output = usual_longest_answer;
  const auto plain = parts_.price(name, {.input = sent, .output = output});
  const auto cached = parts_.price(name, {.output = output, .cache_write = sent});
  const budget::Reservation held = parts_.budget->reserve(
      session, name, plain && cached ? std::max(plain, cached) : std::nullopt);
  refusal_ = held.refusal;
  if (!refusal_.empty()) return not_asked(refusal_);
  try {
    model::Message reply = provider.stream(context, model, ports);
    using enum model::Stop;
    const bool broken = reply.stop == error || reply.stop == aborted || reply.stop == interrupted;
    model::Usage used = reply.usage.value_or(model::Usage{});
    if (!reply.usage && !reply.content.empty())
      used = {.input = sent, .output = model::tokens_of(reply)};
    std::optional<double> spent = held.dollars;
    if (reply.usage || broken) spent = parts_.price(name, used);
    parts_.budget->replace(held, spent.value_or(held.dollars));
    return reply;
  } catch (const std::exception&) {
    parts_.budget->replace(held, held.dollars);
    throw;
  }
}

ModelCaller::Attempt ModelCaller::send(Turn& turn, const context::BuiltContext& built) {
  Attempt attempt;
  FirstToken first;
  DeltaWriter keeper(turn, parts_);
  model::Ports listening = turn.ports;
  listening.sink = [&](const model::Event& event) {
    first.see(event);
    keeper.see(event);
    if (const auto* streaming = std::get_if<model::Streaming>(&event))
      if (const auto* failed = std::get_if<model::delta::Failed>(&streaming->delta))
        attempt.failed = *failed;
    turn.ports.sink(event);
  };
  listening.input = keeper.watch(turn.ports.input);
  const model::ModelRef model = with_room_for_answer(turn.settings.model, built);
  turn.request.reset();
  attempt.reply =
      call(turn.conversation.session(), built.context, model, tokens_sent(built), listening);
  turn.over_budget = refusal_;
  if (built.unread > 0) turn.request.reset();  // older messages were left out without a step
  if (turn.request) context::complete(*turn.request, built, model);
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
  const std::int64_t read = model::whole_input(*reply.usage);
  const std::int64_t sent = tokens_sent(built);
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

// The same request would always be refused. If it is accepted without the signed thinking, that is
// left out from now on, also after a restart.
ModelCaller::Attempt ModelCaller::send_unsealed(Turn& turn, const context::BuiltContext& built) {
  log_warning("thinking refused", {{"model", model::to_string(turn.settings.model)}});
  turn.tell(model::Notice::Level::warning,
            "the model rejected its own earlier thinking; asking again without it");
  context::BuiltContext unsealed = built;
  for (model::Message& message : unsealed.context.messages) message.seals = model::Seals::refused;
  Attempt attempt = send(turn, unsealed);
  const std::vector<model::Entry>& path = turn.conversation.path();
  const auto last =
      std::ranges::find(path.rbegin(), path.rend(), model::type::message, &model::Entry::type);
  if (!attempt.reply.content.empty() && last != path.rend())
    turn.commit({model::make_entry(model::payload::ThinkingOffBefore{last->id})});
  attempt.failed.seals = false;
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
  // An entry was redacted while the turn ran: requests change, so the log records it.
  if (context_.is_stale(turn.conversation))
    turn.commit(context_.renewed(turn.conversation, turn.settings, false));
  const std::int64_t size = context(turn.conversation, turn.settings).whole;
  if (limit > 0 && size > limit) compact_unasked(turn, size, limit);
  cut(turn);
}

// Either our guess was too low or the window was not known; in any case it is smaller than what was
// refused. True if there is less to send now. Guessed sizes are compared, since the factor that
// corrects them changes here.
bool ModelCaller::make_room_after(Turn& turn, const context::BuiltContext& refused,
                                  const model::delta::Overflow& reported) {
  const Settings& settings = turn.settings;
  const ModelLimits learned = limits_after(limits_of(settings.model), refused, reported);
  learned_[model::to_string(settings.model)] = learned;
  if (reported.window > 0) parts_.learn(settings.model, learned);
  log_warning("overflow", {{"model", model::to_string(settings.model)},
                           {"guessed", refused.guessed},
                           {"window", reported.window},
                           {"sent", reported.sent}});
  turn.tell(model::Notice::Level::info,
            reported.window > 0 ? "the request is longer than the model's limit of " +
                                      std::to_string(reported.window) + " tokens"
                                : "the model rejected the request as too long: about " +
                                      std::to_string(refused.filling.total()) + " tokens");
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
            "the conversation fills the model's context window; summarizing older messages");
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

// If the conversation does not fit, with or without a summary, the oldest messages are left out; if
// that is not enough, results are shortened. The log records it, so that the next request begins at
// the same place.
void ModelCaller::cut(Turn& turn) {
  const context::BuiltContext& built = context(turn.conversation, turn.settings);
  if (built.fits()) return;
  const std::int64_t room =
      built.for_messages > 0 ? built.for_messages : context::enough_tokens(built.window);
  const std::optional<context::CompactionPlan> plan = context::plan_cut(
      turn.conversation.path(), turn.conversation.state().redacted, room, parts_.tools);
  if (!plan) return;
  turn.commit(
      summary_entries(turn.conversation, turn.settings,
                      context::compaction_entry(*plan, plan->previous,
                                                {.tokens_per_guess = built.tokens_per_guess})));
  failed_compactions_[turn.conversation.session()] =
      context(turn.conversation, turn.settings).whole;

  std::string what;
  if (const std::size_t messages = plan->earlier.size(); messages > 0)
    what = "no longer sees " + counted(messages, "older message");
  if (plan->shortened > 0)
    what += (what.empty() ? "sees only the beginning of " : " and only the beginning of ") +
            counted(plan->shortened, "long tool result");
  turn.tell(model::Notice::Level::warning,
            "to fit its context window, the model " + what + "; the session keeps everything");
}

// The entries for a summary or a cut: the summary, and how requests begin from now on.
std::vector<model::Entry> ModelCaller::summary_entries(const Conversation& conversation,
                                                       const Settings& settings,
                                                       model::Entry summary) const {
  std::vector<model::Entry> out = context_.renewed(conversation, settings, true);
  out.insert(out.begin(), parts_.cleaned(std::move(summary)));
  return out;
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
        call(conversation.session(), request, model, longer.whole, without_words(ports));
    if (reply.usage) out.usage = *reply.usage;
    author.usage = reply.usage;
    if (reply.stop == model::Stop::aborted || ports.stopped()) return refused("stopped");
    if (reply.stop != model::Stop::stop)
      return refused(reply.error.empty() ? "the summary was cut short" : reply.error);
    summary = model::plain_text(reply);
  }
  if (is_blank(summary)) return refused("the summary came back empty");

  std::vector<model::Entry> written =
      summary_entries(conversation, settings, context::compaction_entry(*plan, summary, author));
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
