#include "core/insights/cache_report.h"

#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::insights {

namespace {

// Services cache whole blocks, and the last message may lie behind the last mark.
constexpr std::int64_t forgiven_tokens = 1024;
constexpr std::int64_t large_tokens = 20'000;
constexpr double large_dollars = 0.05;

// By MissCause, in its order.
struct CauseRow {
  std::string_view name, words;
};
constexpr std::array<CauseRow, 8> cause_rows{{
    {"model_change", "the model was changed"},
    {"compaction_summary", "older messages were summarized"},
    {"redaction", "something was redacted"},
    {"drop", "a result was dropped"},
    {"runtime_init", "the system prompt or the tools were changed"},
    {"thinking_level_change", "the thinking level was changed"},
    {"expired", "the cache expired"},
    {"service", "the service did not use its cache"},
}};

std::string_view provider_of(std::string_view model) { return model.substr(0, model.find('/')); }

// As its meta says, which may follow in the body.
bool drops_result(const model::EntryFacts& entry) {
  constexpr std::string_view mark = R"({"drop":true})";
  return entry.meta == mark ||
         (entry.meta.empty() && entry.body.ends_with(mark) &&
          entry.body.substr(0, entry.body.size() - mark.size()).ends_with(R"(,"meta":)"));
}

std::optional<MissCause> cause_of_step(const model::EntryFacts& entry) {
  namespace type = model::type;
  if (entry.type == type::redaction) return MissCause::redaction;
  if (entry.type == type::runtime_init)
    return drops_result(entry) ? MissCause::drop : MissCause::runtime_init;
  if (entry.type == type::system_prompt_override) return MissCause::runtime_init;
  if (entry.type == type::thinking_level_change) return MissCause::thinking_level_change;
  if (entry.type == type::custom && entry.body.starts_with(R"({"kind":"thinking_off_before")"))
    return MissCause::thinking_level_change;
  return std::nullopt;
}

// What these tokens cost when they are not read from the cache, without what reading them costs.
std::optional<Cost> extra_cost(const Prices& prices, const CacheUse& use) {
  const std::int64_t whole = model::whole_input(use.usage);
  const auto sent = prices(use.model, {.input = use.missed, .longest = whole});
  const auto read = prices(use.model, {.cache_read = use.missed, .longest = whole});
  if (!sent || !read) return std::nullopt;
  return Cost{std::max(0.0, sent->dollars - read->dollars), sent->at_least || read->at_least};
}

Json dollars_or_null(const std::optional<Cost>& cost) {
  return cost && !cost->at_least ? Json(cost->dollars) : Json();
}

}  // namespace

std::string_view name(MissCause cause) { return cause_rows[static_cast<std::size_t>(cause)].name; }

std::string_view words_for(MissCause cause) {
  return cause_rows[static_cast<std::size_t>(cause)].words;
}

std::string why_missed(const CacheUse& use) {
  if (!use.cause) return {};
  std::string out(words_for(*use.cause));
  if (use.cause == MissCause::expired)
    out += ": " + short_duration(use.idle_ms) + " since the last request";
  return out;
}

std::string miss_text(const CacheUse& use) {
  std::string out = "cache missed " + short_count(use.missed) + " tokens (" + why_missed(use) + ")";
  if (use.extra && use.extra->dollars > 0)
    out +=
        std::string(" · ") + (use.extra->at_least ? "at least " : "") + dollars(use.extra->dollars);
  return out;
}

bool is_large_miss(const CacheUse& use) {
  return use.missed >= large_tokens || (use.extra && use.extra->dollars >= large_dollars);
}

void add(MissTally& to, const CacheUse& use) {
  ++to.answers;
  to.tokens += use.missed;
  to.add(use.extra);
}

JsonText as_json(const CacheUse& use) {
  return dump({{"entry", to_string(use.answer)},
               {"model", use.model},
               {"time", use.time},
               {"input", use.usage.input},
               {"output", use.usage.output},
               {"cacheRead", use.usage.cache_read},
               {"cacheWrite", use.usage.cache_write},
               {"expected", use.expected},
               {"missed", use.missed},
               {"missed_usd", use.missed > 0 ? dollars_or_null(use.extra) : Json(0)},
               {"cause", use.cause ? Json(name(*use.cause)) : Json()},
               {"step", use.step ? Json(to_string(*use.step)) : Json()},
               {"idle_ms", use.idle_ms},
               {"cost_usd", dollars_or_null(use.cost)}});
}

void CacheReport::note_step(const model::EntryFacts& entry) {
  if (const std::optional<MissCause> cause = cause_of_step(entry))
    steps_.push_back({*cause, entry.id});
  else if (entry.type == model::type::model_change)
    steps_.push_back({MissCause::model_change, entry.id});
}

std::optional<CacheUse> CacheReport::add(const model::EntryFacts& entry,
                                         const MessageFacts* message) {
  note_step(entry);
  if (model::is_marginal(entry.type)) return std::nullopt;
  PathEnd end;
  if (entry.parent)
    if (const auto found = ends_.find(*entry.parent); found != ends_.end()) end = found->second;
  std::optional<CacheUse> out;
  if (message != nullptr && message->kind == MessageFacts::Kind::answer && message->usage) {
    out = use_of(entry, *message, end);
    end = {.request = requests_.size() - 1};
  } else if (entry.type == model::type::compaction_summary) {
    end.summary = entry.id;
  }
  ends_.insert_or_assign(entry.id, end);
  return out;
}

std::optional<CacheUse> CacheReport::add(const model::EntryFacts& entry) {
  if (entry.type != model::type::message) return add(entry, nullptr);
  const MessageFacts message = facts_of_message(entry.body);
  return add(entry, &message);
}

CacheUse CacheReport::use_of(const model::EntryFacts& entry, const MessageFacts& answer,
                             const PathEnd& before) {
  CacheUse out{.answer = entry.id,
               .model = std::string(answer.provider).append("/").append(answer.model),
               .time = std::string(entry.timestamp),
               .usage = *answer.usage};
  out.cost = prices_(out.model, out.usage);
  const std::int64_t whole = model::whole_input(out.usage);
  const std::int64_t ended_ms = ms_from_utc(entry.timestamp).value_or(0);
  if (out.usage.cache_read > 0 || out.usage.cache_write > 0) caching_.emplace(answer.provider);
  if (before.request) {
    const SentRequest& last = requests_[*before.request];
    out.idle_ms = std::max<std::int64_t>(0, ended_ms - answer.duration_ms - last.ended_ms);
    if (caching_.contains(answer.provider) || caching_.contains(provider_of(last.model))) {
      out.expected = std::min(last.input, whole);
      out.missed = std::max<std::int64_t>(0, out.expected - out.usage.cache_read - forgiven_tokens);
      if (out.missed > 0) find_cause(out, last, before);
    }
  }
  requests_.push_back(
      {.model = out.model, .input = whole, .ended_ms = ended_ms, .steps = steps_.size()});
  return out;
}

void CacheReport::find_cause(CacheUse& use, const SentRequest& last, const PathEnd& before) const {
  use.extra = extra_cost(prices_, use);
  use.cause = use.idle_ms > usual_lifetime_ms ? MissCause::expired : MissCause::service;
  // The first cause in their order; of two steps with the same one the last.
  for (std::size_t i = last.steps; i < steps_.size(); ++i) {
    // Whose answer it is tells more than what was chosen: the choice may have been taken back.
    if (steps_[i].cause == MissCause::model_change && last.model == use.model) continue;
    if (steps_[i].cause <= *use.cause) use.cause = steps_[i].cause, use.step = steps_[i].entry;
  }
  if (before.summary && *use.cause >= MissCause::compaction_summary)
    use.cause = MissCause::compaction_summary, use.step = before.summary;
  if (last.model != use.model && use.cause != MissCause::model_change)
    use.cause = MissCause::model_change, use.step.reset();
}

std::vector<CacheUse> uses_in(store::SessionStore& store, Id session, const Prices& prices) {
  std::vector<CacheUse> out;
  CacheReport report(prices);
  store::value_or_throw(store.transcripts().survey(session, [&](const model::EntryFacts& entry) {
    if (std::optional<CacheUse> use = report.add(entry)) out.push_back(*std::move(use));
  }));
  return out;
}

Misses misses_of(std::span<const CacheUse> uses) {
  Misses out;
  for (const CacheUse& use : uses)
    if (use.cause) add(out[*use.cause], use);
  return out;
}

std::vector<CacheUse> uses_since(store::SessionStore& store, Id session, Id head,
                                 const std::string& since, const Prices& prices) {
  constexpr std::size_t most_entries = 20'000;
  std::vector<store::StoredEntry> entries;  // the last one first
  std::optional<Id> on_path = head;
  const auto read = store.transcripts().load_back(session, [&](const store::StoredEntry& stored) {
    const model::Entry& entry = entries.emplace_back(stored).entry;
    if (entry.id != on_path) return entries.size() < most_entries;
    on_path = entry.parent;
    const bool earlier_answer = entry.timestamp < since && entry.type == model::type::message &&
                                facts_of_message(entry.payload).usage.has_value();
    return on_path && !earlier_answer && entries.size() < most_entries;
  });
  std::vector<CacheUse> out;
  if (!read) return out;
  CacheReport report(prices);
  for (auto each = entries.rbegin(); each != entries.rend(); ++each)
    if (std::optional<CacheUse> use = report.add(model::facts_of(each->entry, each->at));
        use && use->time >= since)
      out.push_back(*std::move(use));
  return out;
}

}  // namespace skein::insights
