#include "core/insights/collect.h"

#include "core/insights/cache_report.h"
#include "core/model/tool.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::insights {

namespace {

using model::EntryFacts;

// The Monday of the week of a day.
std::string week_of(const std::string& day) {
  const std::int64_t ms = ms_from_utc(day + "T00:00:00.000Z").value_or(0);
  const std::int64_t since_monday = (ms / day_ms + 3) % 7;  // 1970 began on a Thursday
  return utc_from_ms(ms - since_monday * day_ms).substr(0, 10);
}

// A call that a model was paid for.
struct PaidCall {
  const std::optional<model::Usage>& usage;
  std::optional<Cost> cost{};
  bool free = false;  // nothing came of it and nothing was counted
};

void add(Tally& to, const PaidCall& call) {
  if (call.usage) to.usage += *call.usage;
  if (!call.free) to.add(call.cost);
}

void add_time(Tally& to, const MessageFacts& answer) {
  to.duration_ms += answer.duration_ms;
  const std::int64_t first = answer.first_token_ms;
  if (first > 0 && first <= std::numeric_limits<std::int32_t>::max())
    to.first_token_ms.push_back(static_cast<std::int32_t>(first));
  if (!answer.usage || answer.usage->output <= 0) return;
  const std::int64_t ms = answer.duration_ms - first;
  if (answer.duration_ms <= 0 || ms <= 0) return;
  to.timed_tokens += answer.usage->output;
  to.timed_ms += ms;
}

class Counting {
 public:
  explicit Counting(const CollectRequest& request) : request_(request) {
    out_.since = request.since;
  }

  void begin(const store::SessionRecord& record) {
    ++session_;
    project_ = record.header.cwd.empty() ? nullptr : &out_.projects[record.header.cwd];
    calls_.clear();
    cache_.emplace(request_.prices);
    if (request_.since.empty()) enter(out_.all);
  }

  void count(const EntryFacts& entry) {
    if (entry.type != model::type::message) cache_->add(entry, nullptr);
    if (entry.type == model::type::message) {
      const MessageFacts facts = facts_of_message(entry.body);
      const std::optional<CacheUse> use = cache_->add(entry, &facts);
      // A call before the time in question, or shared with a fork, may have its result later.
      for (const MessageFacts::Call& call : facts.calls)
        calls_.insert_or_assign(std::string(call.id), KnownCall{std::string(call.name)});
      if (facts.kind != MessageFacts::Kind::other && is_new(entry)) count(entry, facts, use);
    } else if (entry.type == model::type::compaction_summary && is_new(entry)) {
      count_summary(entry);
    } else if (model::may_be_aside(entry.type, entry.body) && is_new(entry)) {
      const auto aside = model::read_aside(entry.body.substr(0, bracketed_length(entry.body)));
      if (aside) count_paid(entry, *aside, &Tally::calls);
    }
  }

  Insights take() && {
    // Folders in which nothing was said in that time.
    std::erase_if(out_.projects, [](const auto& each) { return each.second.sessions == 0; });
    return std::move(out_);
  }
  void could_not_read(std::string why) { out_.unread.push_back(std::move(why)); }

 private:
  bool is_new(const EntryFacts& entry) {
    return entry.timestamp >= request_.since && seen_.insert(entry.id).second;
  }

  Tally& enter(Tally& tally) const {
    if (tally.last_session != session_) ++tally.sessions;
    tally.last_session = session_;
    return tally;
  }

  // Everything the entry is part of but its model.
  template <class Count>
  void in_each(const EntryFacts& entry, Count count) {
    if (const std::string_view day = entry.timestamp.substr(0, 10); day != day_name_) {
      day_name_ = day;
      const bool is_day = ms_from_utc(day_name_ + "T00:00:00.000Z").has_value();
      day_ = is_day ? &out_.days[day_name_] : nullptr;
      week_ = is_day ? &out_.weeks[week_of(day_name_)] : nullptr;
    }
    for (Tally* tally : {&out_.all, day_, week_, project_})
      if (tally != nullptr) count(enter(*tally));
  }

  Tally& of_model(std::string_view provider, std::string_view model) {
    model_name_.assign(provider).append("/").append(model);
    if (model_name_.size() == 1) model_name_ = "unknown";
    return enter(out_.models[model_name_]);
  }

  void count(const EntryFacts& entry, const MessageFacts& facts,
             const std::optional<CacheUse>& use) {
    if (facts.kind == MessageFacts::Kind::prompt)
      return in_each(entry, [](Tally& tally) { ++tally.prompts; });
    for (const MessageFacts::Failure& failure : facts.failures) {
      const auto call = calls_.find(std::string(failure.call));
      // Each branch that leaves a call open adds another result for it.
      if (call != calls_.end() && std::exchange(call->second.failed, true)) continue;
      ToolTally& tool = out_.tools[call == calls_.end() ? "unknown" : call->second.tool];
      ++(failure.refused ? tool.refusals : tool.failures);
    }
    if (facts.kind != MessageFacts::Kind::answer) return;
    for (const MessageFacts::Call& call : facts.calls) ++out_.tools[std::string(call.name)].calls;
    Tally& by_model = of_model(facts.provider, facts.model);
    PaidCall paid{facts.usage};
    paid.free = !facts.usage && facts.empty;
    if (use) paid.cost = use->cost;
    if (use && use->cause) add(out_.misses[*use->cause], *use);
    const auto count_answer = [&](Tally& tally) {
      ++tally.calls;
      add(tally, paid);
      add_time(tally, facts);
    };
    in_each(entry, count_answer);
    count_answer(by_model);
  }

  void count_summary(const EntryFacts& entry) {
    const std::string_view json = entry.body.substr(0, bracketed_length(entry.body));
    const auto payload = model::read_payload(entry.type, json);
    const auto* summary =
        payload ? std::get_if<model::payload::CompactionSummary>(&*payload) : nullptr;
    if (summary != nullptr) count_paid(entry, *summary, &Tally::summaries);
  }

  // What a model wrote that is no message.
  template <class Written>
  void count_paid(const EntryFacts& entry, const Written& what, std::int64_t Tally::*number) {
    if (!what.usage) return;
    Tally& by_model = of_model(what.provider, what.model);
    const PaidCall paid{what.usage, request_.prices(model_name_, *what.usage)};
    const auto count_one = [&](Tally& tally) {
      ++(tally.*number);
      add(tally, paid);
    };
    in_each(entry, count_one);
    count_one(by_model);
  }

  const CollectRequest& request_;
  Insights out_{};
  std::unordered_set<Id> seen_{};
  std::size_t session_ = 0;
  std::optional<CacheReport> cache_{};  // of the session
  struct KnownCall {
    std::string tool;
    bool failed = false;
  };
  std::unordered_map<std::string, KnownCall> calls_{};  // of the session, by id
  std::string day_name_{}, model_name_{};
  Tally *day_ = nullptr, *week_ = nullptr, *project_ = nullptr;  // of the entry before
};

}  // namespace

Insights collect(store::SessionStore& store, const CollectRequest& request,
                 std::optional<Id> open) {
  std::vector<store::SessionRecord> sessions = store.list();
  std::ranges::stable_sort(sessions, {}, [](const store::SessionRecord& record) {
    return std::string_view(record.header.created_at);
  });
  Counting counting(request);
  for (const store::SessionRecord& record : sessions) {
    if (request.only_changed && record.state.updated_at < request.since) continue;
    counting.begin(record);
    const auto done = store.transcripts().survey(
        record.header.session, [&](const EntryFacts& entry) { counting.count(entry); });
    if (!done) counting.could_not_read(record.key + ": " + done.error().text);
    if (record.header.session != open) store.presence().close(record.header.session);
  }
  return std::move(counting).take();
}

}  // namespace skein::insights
