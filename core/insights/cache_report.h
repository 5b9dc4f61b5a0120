// What each answer should have read from its service's cache, what it did read, and why the rest
// was missed. Requests only ever grow, and each step that changes one is an entry: so the entry
// that a miss comes from can be named.
#pragma once

#include "core/insights/message_facts.h"
#include "core/insights/tally.h"
#include "core/store/session_store.h"

namespace skein::insights {

// For so long after a request services keep what they have cached of it, unless they say otherwise.
inline constexpr std::int64_t usual_lifetime_ms = 5 * 60 * 1000;

// Of one answer whose usage is known.
struct CacheUse {
  Id answer{};
  std::string model{};  // provider/model
  std::string time{};
  model::Usage usage{};
  std::optional<Cost> cost{};
  std::int64_t expected = 0;         // tokens that the request before it had put into the cache
  std::int64_t missed = 0;           // of these; a little is forgiven
  std::optional<MissCause> cause{};  // of what was missed; none: nothing was
  std::optional<Id> step{};          // the entry that is the cause
  std::int64_t idle_ms = 0;          // since the request before it
  std::optional<Cost> extra{};       // what was paid for that because it was missed
  bool operator==(const CacheUse&) const = default;
};

// "the cache expired: 18 min since the last request"
std::string why_missed(const CacheUse& use);
// "cache missed 181k tokens (the cache expired: 18 min since the last request) · $0.81"
std::string miss_text(const CacheUse& use);
// Whether a line after the turn shows it: many tokens, or much money.
bool is_large_miss(const CacheUse& use);
void add(MissTally& to, const CacheUse& use);
// {entry, model, input, cacheRead, cacheWrite, expected, missed, missed_usd, cause, …}
JsonText as_json(const CacheUse& use);

// One session, entry by entry, in the order they were written.
class CacheReport {
 public:
  explicit CacheReport(Prices prices) : prices_(std::move(prices)) {}

  // Only for an answer whose usage is known something is returned. `message`: as it was read; null
  // if the entry is none.
  std::optional<CacheUse> add(const model::EntryFacts& entry, const MessageFacts* message);
  std::optional<CacheUse> add(const model::EntryFacts& entry);  // reads the message

 private:
  struct SentRequest {
    std::string model{};
    std::int64_t input = 0;  // tokens, cached or not
    std::int64_t ended_ms = 0;
    std::size_t steps = 0;  // that had been made by then
  };
  // Of a path up to an entry: its last request, and the last summary since then.
  struct PathEnd {
    std::optional<std::size_t> request{};
    std::optional<Id> summary{};
  };
  struct ContextStep {
    MissCause cause{};
    Id entry{};
  };

  void note_step(const model::EntryFacts& entry);
  CacheUse use_of(const model::EntryFacts& entry, const MessageFacts& answer,
                  const PathEnd& before);
  void find_cause(CacheUse& use, const SentRequest& last, const PathEnd& before) const;

  Prices prices_;
  std::vector<SentRequest> requests_{};
  std::vector<ContextStep> steps_{};
  std::unordered_map<Id, PathEnd> ends_{};
  std::set<std::string, std::less<>> caching_{};  // providers whose usage has shown a cache
};

// All answers of a session. Reads all of it; throws Error if that fails.
std::vector<CacheUse> uses_in(store::SessionStore& store, Id session, const Prices& prices);
Misses misses_of(std::span<const CacheUse> uses);

// The answers of one path, back from `head`, that came at `since` or later. Reads from the end of
// the session only what is needed for them. Empty if that cannot be read.
std::vector<CacheUse> uses_since(store::SessionStore& store, Id session, Id head,
                                 const std::string& since, const Prices& prices);

}  // namespace skein::insights
