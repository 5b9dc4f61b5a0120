// A turn in one dim line: model, tokens, cost, how full the context is, seconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/message.h"

namespace skein::screen {

struct TurnSummary {
  std::string provider{}, model{};
  model::Usage usage{};              // of all model calls
  model::Usage last{};               // of the last one: what the context holds now
  std::vector<model::Usage> each{};  // of each: a price may depend on how long a call was
  std::int64_t duration_ms = 0;
  std::int64_t first_token_ms = 0;  // of the first call; 0: not known
  // Of the calls that tell both: what came in the stream, and how long that took.
  std::int64_t streamed_tokens = 0, streamed_ms = 0;
  bool retried = false;  // that time is partly of calls that failed
  int calls = 0;
  // What only a catalog of models knows.
  std::optional<double> cost_usd{};
  std::int64_t window = 0;  // tokens; 0: not known
  bool operator==(const TurnSummary&) const = default;
};

// Adds an answer of the model or the result of a tool.
void add(TurnSummary& summary, const model::Message& message);

// How full a window is by these tokens, rounded up.
std::int64_t percent_full(std::int64_t held, std::int64_t window);

// "opus · 6.2k in (4.9k cached) 410 out · $0.011 · context 4 % · 14 s · 42 tok/s · first 0.8 s"
std::string summary_text(const TurnSummary& summary);

}  // namespace skein::screen
