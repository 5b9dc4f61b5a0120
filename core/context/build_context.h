// Builds the request for a model from the path of a conversation, and says whether it fits the
// model's window. Nothing is left out to make it fit: that is a step which the path records. Pure,
// with a cache.
#pragma once

#include "core/context/history.h"
#include "core/model/entry.h"
#include "core/model/provider.h"

namespace skein::context {

// Everything a request is made from.
struct ContextSource {
  std::span<const model::Entry> path;
  const std::set<Id>& redacted;
  std::string system{};
  std::vector<model::ToolSpec> tools{};
  model::ModelRef model{};
  Window window{};
  double tokens_per_guess = 0;  // lower bound learned from a refusal; 0: not known
  // Of these entries and what is before them nothing sealed goes back: it was refused.
  std::set<Id> thinking_off{};
};

// What fills a request, in tokens.
struct TokenBreakdown {
  std::int64_t system = 0, tools = 0, summary = 0, messages = 0, results = 0;
  std::int64_t total() const { return system + tools + summary + messages + results; }
  bool operator==(const TokenBreakdown&) const = default;
};

struct BuiltContext {
  model::Context context{};
  TokenBreakdown filling{};
  Window window{};
  std::int64_t room = 0;          // for a request; 0: not known
  std::int64_t whole = 0;         // tokens, what was not read included
  std::int64_t guessed = 0;       // tokens of what is sent, before our guess is corrected
  std::int64_t for_messages = 0;  // what room there is for them, in guessed tokens; 0: not known
  std::size_t unread = 0;         // messages further back, beyond any room
  double tokens_per_guess = 1;    // real cost of calls divided by our guess

  bool fits() const { return unread == 0 && (room == 0 || whole <= room); }
};

// No request needs more of a path than this many of its newest tokens and the last prompt.
std::int64_t enough_tokens(const Window& window);

// The same source gives the same bytes. A longer path only appends to what a shorter one gave,
// unless a recorded step is between the two: a summary or cut, a new beginning, a redaction.
BuiltContext build_context(const ContextSource& source);

// The requests for the most recently used leaves. Entries never change, so a leaf identifies its
// whole path; everything else a request depends on is compared.
class ContextCache {
 public:
  const BuiltContext& get(const ContextSource& source);
  std::size_t built() const { return built_; }  // cache misses

 private:
  struct Known {
    std::string key;
    BuiltContext context;
  };
  std::deque<Known> known_{};  // the newest first
  std::size_t built_ = 0;
};

}  // namespace skein::context
