// The tokens of a model call, sums of them, and what they cost.
#pragma once

#include "core/text/std.h"

namespace skein::model {

// Tokens of one model call, or of several. `input` excludes cached tokens, whatever the provider
// counts.
struct Usage {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;
  std::int64_t reasoning = 0;  // part of output
  // Of a sum: no call in it sent more than this, which decides what it may have cost. 0: it is one
  // call, or a sum that was kept without it.
  std::int64_t longest = 0;
  // The same tokens; sums of an older skein do not tell of their longest call.
  bool operator==(const Usage& other) const {
    return input == other.input && output == other.output && cache_read == other.cache_read &&
           cache_write == other.cache_write && reasoning == other.reasoning;
  }
};
// All that was sent, cached or not.
inline std::int64_t whole_input(const Usage& usage) {
  return usage.input + usage.cache_read + usage.cache_write;
}
// Of one call: how much the context holds behind it.
inline std::int64_t context_behind(const Usage& call) { return whole_input(call) + call.output; }
// No call in it sent more than this.
inline std::int64_t longest_input(const Usage& usage) {
  return usage.longest > 0 ? usage.longest : whole_input(usage);
}

inline Usage& operator+=(Usage& total, const Usage& more) {
  // Transcripts come from anywhere, and a sum may be a sum of sums.
  constexpr std::int64_t most = 1'000'000'000'000'000;
  constexpr std::int64_t Usage::*counts[] = {&Usage::input, &Usage::output, &Usage::cache_read,
                                             &Usage::cache_write, &Usage::reasoning};
  Usage counted{.longest = std::min(more.longest, most)};
  for (const auto count : counts)
    if (more.*count > 0 && more.*count <= most) counted.*count = more.*count;
  // Nothing yet is no call.
  const std::int64_t before = total == Usage{} ? 0 : longest_input(total);
  total.longest = std::max(before, longest_input(counted));
  for (const auto count : counts)
    if (total.*count <= most) total.*count += counted.*count;
  return total;
}

// What one call cost, or many. At least: one of them may have been charged higher.
struct Cost {
  double dollars = 0;
  bool at_least = false;
  bool operator==(const Cost&) const = default;
};

}  // namespace skein::model
