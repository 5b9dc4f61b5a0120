// Builds the request for a model from the path of a conversation: cut to the model's window,
// counted, with a record of what was left out. Pure, with a cache beside it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/context/history.h"
#include "core/context/window.h"
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
  std::int64_t room = 0;            // for a request; 0: not known
  std::int64_t whole = 0;           // tokens, had nothing been cut
  std::int64_t guessed = 0;         // tokens of what is sent, before our guess is corrected
  std::size_t left_out = 0;         // messages
  std::size_t pruned = 0;           // tool results replaced by a short text
  std::optional<Id> begins_with{};  // the first entry that was not left out
  double tokens_per_guess = 1;      // real cost of calls divided by our guess
  bool read_all = false;            // a longer path might have given more
};

// No request needs more of a path than this many of its newest tokens and the last prompt.
std::int64_t enough_tokens(const Window& window);

// The same source gives the same bytes. A longer path only appends to what a shorter one gave,
// unless a cut of core/context/window moves between the two.
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
