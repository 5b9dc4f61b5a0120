// From the path of a conversation to the request a model gets: cut to the model's window, counted,
// and said what was left out. Pure, with a cache beside it.
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
  double tokens_per_guess = 0;  // at least, as a refusal has shown; 0: not known
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
  std::size_t pruned = 0;           // tool results of which only a short text is left
  std::optional<Id> begins_with{};  // the first entry that was not left out
  double tokens_per_guess = 1;      // what calls really cost, compared with our guess
  bool read_all = false;            // a longer path might have given more
};

// No request needs more of a path than its newest so many tokens, and the user's last words.
std::int64_t enough_tokens(const Window& window);

// The same source gives the same bytes. A longer path only adds to what a shorter one gave, except
// where a step of core/context/window falls between them.
BuiltContext build_context(const ContextSource& source);

// The requests for the leaves that were used last. An entry never changes, so a leaf stands for its
// whole path; what else a request depends on is compared.
class ContextCache {
 public:
  const BuiltContext& get(const ContextSource& source);
  std::size_t built() const { return built_; }  // how many had to be made

 private:
  struct Known {
    std::string key;
    BuiltContext context;
  };
  std::deque<Known> known_{};  // the newest first
  std::size_t built_ = 0;
};

}  // namespace skein::context
